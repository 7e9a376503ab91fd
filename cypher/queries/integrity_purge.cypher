// Removes some of a team's records past their maximum age. Written for one label; the store runs it for each
// (cypher.ForLabel).
// What is restored at the same moment stays.
// mode: write
// params: team_id, field, before, skip, limit
// returns: purged
MATCH (n:Deleted {team_id: $team_id})
WHERE n[$field] < $before
WITH n
SKIP $skip
LIMIT $limit
REMOVE n:Former
WITH n
WHERE n:Deleted AND n[$field] < $before
DETACH DELETE n
RETURN count(*) AS purged
