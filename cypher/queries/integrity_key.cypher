// Gives a key to a node of a team that has none.
// mode: write
// params: team_id, id, entity_key
// returns: repaired
MATCH (n:Memory {team_id: $team_id})
WHERE elementId(n) = $id
  AND n.entity_key IS NULL
SET n.entity_key = $entity_key
RETURN count(n) AS repaired
