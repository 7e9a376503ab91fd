// Removes some of a team's records past their maximum age. Written for one label; the store runs it for each
// (cypher.ForLabel).
// mode: write
// params: team_id, field, before, limit
// returns: purged
MATCH (n:Deleted {team_id: $team_id})
WHERE n[$field] < $before
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS purged
