// Returns the most salient relationships of nodes, among the first $walk of each: current ones only.
// The other end comes with its labels, name and description.
// mode: read
// plan: kept
// params: team_id, user_id, around_keys, plain, types, without_types, min_attitude, max_attitude, min_proximity, max_proximity, walk, relationship_limit, now
// returns: relationships
UNWIND $around_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.user_id IS NULL OR n.user_id = $user_id
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]-(m:Memory)
  WHERE NOT type(r) IN $plain
    AND ($types IS NULL OR coalesce(r.type_word, type(r)) IN $types)
    AND (size($without_types) = 0 OR NOT coalesce(r.type_word, type(r)) IN $without_types)
    AND ($min_attitude IS NULL OR r.attitude >= $min_attitude)
    AND ($max_attitude IS NULL OR r.attitude <= $max_attitude)
    AND ($min_proximity IS NULL OR r.proximity >= $min_proximity)
    AND ($max_proximity IS NULL OR r.proximity <= $max_proximity)
    AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND coalesce(r.valid_to > $now, true)
  WITH n, r, m
  LIMIT $walk
  WITH n, r, m
  ORDER BY r.salience DESC, r.key
  LIMIT $relationship_limit
  RETURN collect([
    startNode(r) = n, type(r), m.entity_key, labels(m), m.name, m.description,
    [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]], m.trust, m.origin
  ]) AS links
}
RETURN collect([n.entity_key, n.name, labels(n), links, n.trust, n.origin]) AS relationships
LIMIT 1
