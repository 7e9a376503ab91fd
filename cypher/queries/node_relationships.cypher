// Returns a page of a node's relationships, by key: current ones, or all with past and future ones. Returns no
// row when the caller may not see the node. Of a hub it returns the types that hub_relationships reads by an index, and no
// relationships, unless with $rest. Written for one type; the store puts in all types, and those of a hub that no index has.
// mode: read
// params: team_id, user_id, entity_key, label, past, outgoing, incoming, types, after, limit, now, rest
// returns: hub, relationships
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE (n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants)
  AND $label IN labels(n)
CALL (n) {
  WITH n
  WHERE $rest
    OR n.hub_types IS NULL
  MATCH (n)-[r:relates_to {team_id: $team_id}]-(m:Memory {team_id: $team_id})
  WHERE (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
    AND type(r) <> 'has_message'
    AND r.key > $after
    AND ($types IS NULL OR coalesce(r.type_word, type(r)) IN $types)
    AND ($outgoing OR endNode(r) = n)
    AND ($incoming OR startNode(r) = n)
    AND ($past OR (coalesce(r.valid_from <= $now, true) OR r.start_unknown) AND coalesce(r.valid_to > $now, true))
  WITH n, r, m
  ORDER BY r.key
  LIMIT $limit
  RETURN collect([
    startNode(r) = n, type(r), m.entity_key, labels(m), m.name,
    [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]], m.trust, m.origin
  ]) AS relationships
}
RETURN n.hub_types AS hub, relationships
LIMIT 1
