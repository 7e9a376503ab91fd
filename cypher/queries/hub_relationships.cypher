// Returns the next relationships of a hub that node_relationships would list, by key: $walk for each direction. The indexes have the
// relationships of hubs only (hub_mark). Written for one type; the store runs it for those that the hub has in indexes.
// mode: read
// params: team_id, user_id, entity_key, past, outgoing, incoming, types, after, walk, now
// returns: outgoing, type, key, labels, name, properties, trust, origin
CALL () {
  UNWIND CASE WHEN $outgoing THEN [0] ELSE [] END AS one
  CALL (one) {
    MATCH (n)-[r:relates_to {team_id: $team_id, hub_from: $entity_key}]->(m)
    USING INDEX SEEK r:relates_to(team_id, hub_from, key)
    WHERE r.key > $after
      AND m.team_id = $team_id
      AND n:Memory
      AND m:Memory
      AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND ($types IS NULL OR coalesce(r.type_word, type(r)) IN $types)
      AND coalesce($past OR (r.valid_from <= $now OR coalesce(r.start_unknown, false)) AND coalesce(r.valid_to > $now, true), true)
    WITH r, m
    ORDER BY r.team_id, r.hub_from, r.key
    LIMIT $walk
    RETURN r, m
  }
  RETURN r, m, true AS outgoing
  UNION ALL
  UNWIND CASE WHEN $incoming THEN [0] ELSE [] END AS one
  CALL (one) {
    MATCH (n)<-[r:relates_to {team_id: $team_id, hub_to: $entity_key}]-(m)
    USING INDEX SEEK r:relates_to(team_id, hub_to, key)
    WHERE r.key > $after
      AND m.team_id = $team_id
      AND n:Memory
      AND m:Memory
      AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND ($types IS NULL OR coalesce(r.type_word, type(r)) IN $types)
      AND coalesce($past OR (r.valid_from <= $now OR coalesce(r.start_unknown, false)) AND coalesce(r.valid_to > $now, true), true)
    WITH r, m
    ORDER BY r.team_id, r.hub_to, r.key
    LIMIT $walk
    RETURN r, m
  }
  RETURN r, m, false AS outgoing
}
RETURN outgoing,
  type(r) AS type,
  m.entity_key AS key,
  labels(m) AS labels,
  m.name AS name,
  [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] AS properties,
  m.trust AS trust,
  m.origin AS origin
LIMIT 10000
