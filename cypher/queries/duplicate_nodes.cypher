// Returns what is compared of some persons, concepts and entities. Neighbours are those by relationships that are valid now and that
// everybody sees who sees the node, with the number of all their relationships, and whether they are the owner, who is everybody's neighbour.
// mode: read
// params: team_id, entity_keys, neighbours, now
// returns: entity_key, labels, user_id, names, aliases, type, properties, merged_keys, is_owner, neighbours
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n:Person OR n:Concept OR n:Entity
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]-(m:Memory)
  WHERE coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND type(r) <> 'mentions'
    AND (r.user_id IS NULL OR r.user_id = n.user_id)
  WITH DISTINCT m
  LIMIT $neighbours
  RETURN collect([m.entity_key, COUNT { (m)--() }, m.is_owner IS NOT NULL]) AS neighbours
}
RETURN n.entity_key AS entity_key,
  labels(n) AS labels,
  n.user_id AS user_id,
  [n.name, n.canonical_name] AS names,
  n.aliases AS aliases,
  n.type AS type,
  n.properties AS properties,
  n.merged_keys AS merged_keys,
  n.is_owner AS is_owner,
  neighbours
LIMIT 100000
