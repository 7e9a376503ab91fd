// Returns a page of a node's relationships that were valid at a time, by key, as they are stored now: also those that were deleted since,
// and those of nodes that were deleted since. The caller takes the versions of the time, and what was there, from record_at and
// relationship_at.
// mode: read
// params: team_id, user_id, entity_key, as_of, types, outgoing, incoming, after, limit
// returns: key, outgoing, type, other, properties
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
  RETURN r.key AS key, startNode(r) = n AS outgoing, coalesce(r.type_word, type(r)) AS type, m.entity_key AS other, r AS r
  UNION ALL
  MATCH (r:DeletedRelationship {team_id: $team_id, from_key: $entity_key})
  USING INDEX SEEK r:DeletedRelationship(team_id, from_key)
  WHERE r.deleted_at > $as_of
    AND (r.user_id IS NULL OR r.user_id = $user_id)
  RETURN r.key AS key, true AS outgoing, coalesce(r.type_word, r.deleted_type) AS type, r.to_key AS other, r AS r
  UNION ALL
  MATCH (r:DeletedRelationship {team_id: $team_id, to_key: $entity_key})
  USING INDEX SEEK r:DeletedRelationship(team_id, to_key)
  WHERE r.deleted_at > $as_of
    AND (r.user_id IS NULL OR r.user_id = $user_id)
  RETURN r.key AS key, false AS outgoing, coalesce(r.type_word, r.deleted_type) AS type, r.from_key AS other, r AS r
}
WITH DISTINCT key, outgoing, type, other, properties(r) AS p
WHERE key > $after
  AND ($types IS NULL OR type IN $types)
  AND (outgoing AND $outgoing OR NOT outgoing AND $incoming)
  AND coalesce(p.valid_from <= $as_of, true)
  AND coalesce(p.valid_to > $as_of, true)
WITH key, outgoing, type, other, p
ORDER BY key
LIMIT $limit
RETURN key, outgoing, type, other,
  [name IN keys(p) WHERE name <> 'embedding' AND NOT name IN ['from_key', 'to_key', 'deleted_type', 'deleted_at', 'deleted_by'] | [name, p[name]]] AS properties
LIMIT 10000
