// Returns the next team after another one, ordered by id.
// mode: read
// scope: server
// params: after
// returns: team
MATCH (n:Memory)
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.team_id > $after
  AND n.entity_key IS NOT NULL
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT 1
RETURN n.team_id AS team
LIMIT 1
