// Locks and returns the persons, concepts and entities with some keys.
// mode: write
// params: team_id, entity_keys
// returns: entity_key, labels, user_id
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n:Person OR n:Concept OR n:Entity
REMOVE n:Former
RETURN n.entity_key AS entity_key,
  labels(n) AS labels,
  n.user_id AS user_id
LIMIT 100000
