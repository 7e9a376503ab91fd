// Returns one node that the caller may see, with its strongest relationships: current ones, or those of a day.
// The version is read before the rest: a change at that moment then belongs to a later version, and is not overwritten with if_version.
// Of a hub it returns the types that hub_strongest reads by an index, and no relationships, unless with $rest. Written for one type; the
// store puts in all types, and those of a hub that no index has.
// mode: read
// params: team_id, user_id, entity_key, label, as_of, now_ms, limit, now, rest
// returns: properties, hub, relationships
CALL () {
  MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
  UNION
  MATCH (n:Person {team_id: $team_id, former_key: $entity_key})
  USING INDEX SEEK n:Person(team_id, former_key)
  RETURN n
  UNION
  MATCH (d:Deleted {team_id: $team_id, entity_key: $entity_key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into IS NOT NULL
  WITH d.merged_into AS other
  MATCH (n:Memory {team_id: $team_id, entity_key: other})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
}
WITH n
WHERE (n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants)
  AND $label IN labels(n)
  AND ($as_of IS NULL OR n.created_at <= $as_of)
WITH n, coalesce(n.version, 1) AS version
CALL (n) {
  WITH n
  WHERE $limit > 0
    AND ($rest OR n.hub_types IS NULL)
  MATCH (n)-[r:relates_to {team_id: $team_id}]-(m:Memory {team_id: $team_id})
  WHERE (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
    AND type(r) <> 'has_message'
    AND (coalesce(r.valid_from <= coalesce($as_of, $now), true) OR $as_of IS NULL AND r.start_unknown)
    AND coalesce(r.valid_to > coalesce($as_of, $now), true)
  WITH n, r, m, CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms
    THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE coalesce(r.salience, 0.0) END AS salience
  ORDER BY salience DESC, r.key DESC
  LIMIT $limit
  RETURN collect([
    startNode(r) = n, type(r), m.entity_key, labels(m), m.name,
    [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]], m.trust, m.origin
  ]) AS relationships
}
RETURN [['version', version]] + [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope', 'version', 'hub_key', 'hub_types'] | [name, n[name]]] AS properties,
  n.hub_types AS hub,
  relationships
LIMIT 1
