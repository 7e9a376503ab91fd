// Finds types with several current relationships between the same two nodes, and returns all but the newest of each.
// Relationships of systems may repeat.
// mode: read
// params: team_id, entity_keys
// returns: entity_key, id, key, type
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
MATCH (n)-[r]->(m:Memory)
WHERE r.key IS NOT NULL
  AND r.valid_to IS NULL
  AND type(r) <> 'system_relationship'
WITH n, m, r
ORDER BY coalesce(r.updated_at, r.recorded_at) DESC, r.key DESC
WITH n, m, coalesce(r.type_word, type(r)) AS type, collect(r) AS same
WHERE size(same) > 1
UNWIND tail(same) AS r
RETURN n.entity_key AS entity_key,
  elementId(r) AS id,
  r.key AS key,
  type
LIMIT 100000
