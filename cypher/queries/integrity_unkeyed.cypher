// Finds nodes without a team or key, which no read can find: of one team, or of all when $team_id is null.
// mode: read
// scope: server
// params: team_id, limit
// returns: id, team_id
MATCH (n:Memory)
WHERE (n.team_id IS NULL OR n.entity_key IS NULL)
  AND ($team_id IS NULL OR n.team_id = $team_id)
RETURN elementId(n) AS id,
  n.team_id AS team_id
LIMIT $limit
