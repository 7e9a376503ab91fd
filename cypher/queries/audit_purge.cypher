// Takes away some of a team's records that are older than they may get. Written for one label; the store asks for each
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
