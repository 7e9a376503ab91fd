// Returns the relationships of a hub, of those that node_get may show, with the highest stored salience: $walk for each direction. The
// current salience is never above the stored one. Written for one type; the store runs it for those that the hub has in indexes. (With an OR
// that is not within a function, Neo4j reads all of a hub's relationships and sorts them.)
// mode: read
// params: team_id, user_id, entity_key, as_of, walk, now
// returns: outgoing, type, key, labels, name, properties, trust, origin
CALL () {
  MATCH (n)-[r:relates_to {team_id: $team_id, hub_from: $entity_key}]->(m)
  USING INDEX SEEK r:relates_to(team_id, hub_from, salience, key)
  WHERE r.salience IS NOT NULL
    AND r.key IS NOT NULL
    AND m.team_id = $team_id
    AND n:Memory
    AND m:Memory
    AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
    AND coalesce(r.valid_from <= coalesce($as_of, $now) OR $as_of IS NULL AND coalesce(r.start_unknown, false), true)
    AND coalesce(r.valid_to > coalesce($as_of, $now), true)
  WITH r, m
  ORDER BY r.team_id DESC, r.hub_from DESC, r.salience DESC, r.key DESC
  LIMIT $walk
  RETURN r, m, true AS outgoing
  UNION ALL
  MATCH (n)<-[r:relates_to {team_id: $team_id, hub_to: $entity_key}]-(m)
  USING INDEX SEEK r:relates_to(team_id, hub_to, salience, key)
  WHERE r.salience IS NOT NULL
    AND r.key IS NOT NULL
    AND m.team_id = $team_id
    AND n:Memory
    AND m:Memory
    AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
    AND coalesce(r.valid_from <= coalesce($as_of, $now) OR $as_of IS NULL AND coalesce(r.start_unknown, false), true)
    AND coalesce(r.valid_to > coalesce($as_of, $now), true)
  WITH r, m
  ORDER BY r.team_id DESC, r.hub_to DESC, r.salience DESC, r.key DESC
  LIMIT $walk
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
