// Returns the key of a team's next node after another one, ordered by key.
// mode: read
// params: team_id, after
// returns: entity_key
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT 1
RETURN n.entity_key AS entity_key
LIMIT 1
