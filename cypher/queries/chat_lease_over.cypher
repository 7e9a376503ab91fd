// Finds generations with an expired lease: their processes have died.
// mode: read
// scope: server
// params: now, limit
// returns: team_id, user_id, id, attempt
MATCH (n:ChatTurn)
USING INDEX SEEK n:ChatTurn(lease_until)
WHERE n.lease_until <= $now
  AND n.status = 'generating'
RETURN n.team_id AS team_id,
  n.user_id AS user_id,
  n.id AS id,
  n.attempt AS attempt
LIMIT $limit
