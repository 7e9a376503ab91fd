// Finds types with several current relationships of one qualifier between the same two nodes, and returns all but the newest of each.
// Relationships of systems may repeat. It compares pairs instead of sorting, because a node may have millions.
// mode: read
// params: team_id, entity_keys
// returns: entity_key, id, key, type
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r]->(m:Memory)
WHERE r.key IS NOT NULL
  AND r.valid_to IS NULL
  AND type(r) <> 'system_relationship'
MATCH (n)-[o]->(m)
WHERE o.key IS NOT NULL
  AND o.valid_to IS NULL
  AND coalesce(o.type_word, type(o)) = coalesce(r.type_word, type(r))
  AND coalesce(o.qualifier, '') = coalesce(r.qualifier, '')
WITH n, r, o, coalesce(r.updated_at, r.recorded_at, datetime({epochMillis: 0})) AS changed, coalesce(o.updated_at, o.recorded_at, datetime({epochMillis: 0})) AS other
WHERE other > changed
  OR other = changed AND (o.key > r.key OR o.key = r.key AND elementId(o) > elementId(r))
RETURN DISTINCT n.entity_key AS entity_key,
  elementId(r) AS id,
  r.key AS key,
  coalesce(r.type_word, type(r)) AS type
LIMIT 100000
