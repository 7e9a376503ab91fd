// Returns the persons, concepts and entities into which nodes with some keys were merged, by these keys.
// mode: read
// params: team_id, entity_keys
// returns: entity_key, labels, user_id
UNWIND $entity_keys AS key
MATCH (d:Deleted {team_id: $team_id, entity_key: key})
USING INDEX SEEK d:Deleted(team_id, entity_key)
WHERE d.merged_into IS NOT NULL
WITH key, d.merged_into AS other
MATCH (n:Memory {team_id: $team_id, entity_key: other})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n:Person OR n:Concept OR n:Entity
RETURN key AS entity_key,
  labels(n) AS labels,
  n.user_id AS user_id
LIMIT 100000
