// Returns what is compared of some persons, concepts and entities: the first names and aliases, cut at $length, and neighbours. These are by
// relationships that are valid now and that everybody sees who sees the node, the first by their keys, each with whether it is the owner,
// who is everybody's neighbour. merged is the number of nodes that were merged into it.
// mode: read
// params: team_id, entity_keys, names, length, neighbours, now
// returns: entity_key, labels, user_id, names, aliases, type, properties, merged, is_owner, neighbours
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
    AND (m.user_id IS NULL OR m.user_id = n.user_id)
  WITH DISTINCT m
  ORDER BY m.entity_key
  LIMIT $neighbours
  RETURN collect([m.entity_key, m.is_owner IS NOT NULL]) AS neighbours
}
RETURN n.entity_key AS entity_key,
  labels(n) AS labels,
  n.user_id AS user_id,
  [left(n.name, $length), left(n.canonical_name, $length)] AS names,
  [alias IN n.aliases[..$names] | left(alias, $length)] AS aliases,
  left(n.type, $length) AS type,
  n.properties AS properties,
  size(coalesce(n.merged_keys, [])) AS merged,
  n.is_owner AS is_owner,
  neighbours
LIMIT 100000
