// The first team after another that has nodes.
// mode: read
// scope: server
// params: after
// returns: team_id
MATCH (n:Memory)
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.team_id > $after
  AND n.entity_key IS NOT NULL
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT 1
RETURN n.team_id AS team_id
LIMIT 1
