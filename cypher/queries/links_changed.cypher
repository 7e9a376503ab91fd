// Returns the relationships of a node that changed after a time, those with the last change first: also those that were deleted since,
// and those whose other end was deleted since, at gone.
// mode: read
// params: team_id, user_id, entity_key, since_ms, limit
// returns: key, outgoing, type, other, labels, kind, name, trust, origin, gone, properties
CALL () {
  CALL () {
    MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
    USING INDEX SEEK n:Memory(team_id, entity_key)
    RETURN n
    UNION
    MATCH (n:Deleted {team_id: $team_id, entity_key: $entity_key})
    USING INDEX SEEK n:Deleted(team_id, entity_key)
    RETURN n
  }
  MATCH (n)-[r {team_id: $team_id}]-(m {team_id: $team_id})
  WHERE (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
    AND type(r) <> 'has_message'
  RETURN r AS r, startNode(r) = n AS outgoing, coalesce(r.type_word, type(r)) AS type, m AS m, m.deleted_at.epochMillis AS gone
  UNION ALL
  MATCH (r:DeletedRelationship {team_id: $team_id, from_key: $entity_key})
  USING INDEX SEEK r:DeletedRelationship(team_id, from_key)
  WHERE r.user_id IS NULL OR r.user_id = $user_id
  RETURN r AS r, true AS outgoing, coalesce(r.type_word, r.deleted_type) AS type, null AS m, null AS gone
  UNION ALL
  MATCH (r:DeletedRelationship {team_id: $team_id, to_key: $entity_key})
  USING INDEX SEEK r:DeletedRelationship(team_id, to_key)
  WHERE r.user_id IS NULL OR r.user_id = $user_id
  RETURN r AS r, false AS outgoing, coalesce(r.type_word, r.deleted_type) AS type, null AS m, null AS gone
}
WITH r, outgoing, type, m, gone,
  reduce(last = 0, t IN [r.recorded_at.epochMillis, r.updated_at.epochMillis, r.restored_at, r.deleted_at.epochMillis, gone] | CASE WHEN t > last THEN t ELSE last END) AS last
WHERE last > $since_ms
WITH r, outgoing, type, m, gone, last
ORDER BY last DESC, r.key
LIMIT $limit
CALL (r, outgoing, m) {
  WITH r, outgoing, m
  WHERE m IS NOT NULL
  RETURN m AS other
  UNION ALL
  WITH r, outgoing, m
  WHERE m IS NULL
  MATCH (other:Memory {team_id: $team_id, entity_key: CASE WHEN outgoing THEN r.to_key ELSE r.from_key END})
  USING INDEX SEEK other:Memory(team_id, entity_key)
  RETURN other
  UNION ALL
  WITH r, outgoing, m
  WHERE m IS NULL
  MATCH (other:Deleted {team_id: $team_id, entity_key: CASE WHEN outgoing THEN r.to_key ELSE r.from_key END})
  RETURN other
}
WITH r, outgoing, type, gone, last, collect(other)[0] AS other
WHERE other.user_id IS NULL OR other.user_id = $user_id OR $user_id IN other.participants
WITH r, outgoing, type, gone, last, other
ORDER BY last DESC, r.key
RETURN r.key AS key, outgoing, type, other.entity_key AS other, labels(other) AS labels, coalesce(other.deleted_kind, '') AS kind, other.name AS name, other.trust AS trust, other.origin AS origin, gone,
  CASE WHEN r.deleted_at IS NOT NULL THEN null ELSE [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] END AS properties
LIMIT 10000
