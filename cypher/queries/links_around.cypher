// Returns the relationships of some nodes that were valid at a time, as they are stored now: of each node the first $each that are
// asked for and that the caller may see, among its first 100000. Those that were deleted since are among them, and those of nodes that
// were deleted since, but none between sources and their messages. $ends: only those to these nodes. The caller takes the versions of
// the time, and what was there, from record_at and relationship_at.
// mode: read
// params: team_id, user_id, keys, ends, as_of, types, without, outgoing, incoming, each
// returns: key, looked, links
UNWIND $keys AS key
CALL (key) {
  CALL (key) {
    CALL (key) {
      MATCH (n:Memory {team_id: $team_id, entity_key: key})
      USING INDEX SEEK n:Memory(team_id, entity_key)
      RETURN n
      UNION
      MATCH (n:Deleted {team_id: $team_id, entity_key: key})
      USING INDEX SEEK n:Deleted(team_id, entity_key)
      WHERE n.deleted_at > $as_of
      RETURN n
    }
    MATCH (n)-[r {team_id: $team_id}]-(m {team_id: $team_id})
    WITH startNode(r) = n AS outgoing, coalesce(r.type_word, type(r)) AS type, m, r
    LIMIT 100000
    WHERE (m:Memory OR m.deleted_at > $as_of)
      AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND type(r) <> 'has_message'
      AND ($ends IS NULL OR m.entity_key IN $ends)
      AND ($types IS NULL OR type IN $types)
      AND NOT type IN $without
      AND (outgoing AND $outgoing OR NOT outgoing AND $incoming)
      AND coalesce(r.valid_from <= $as_of, true)
      AND coalesce(r.valid_to > $as_of, true)
    RETURN outgoing, type, m.entity_key AS other, r AS r
    LIMIT $each
    UNION ALL
    MATCH (r:DeletedRelationship {team_id: $team_id, from_key: key})
    USING INDEX SEEK r:DeletedRelationship(team_id, from_key)
    WITH r, coalesce(r.type_word, r.deleted_type) AS type
    WHERE r.deleted_at > $as_of
      AND (r.user_id IS NULL OR r.user_id = $user_id)
      AND ($ends IS NULL OR r.to_key IN $ends)
      AND ($types IS NULL OR type IN $types)
      AND NOT type IN $without
      AND $outgoing
      AND coalesce(r.valid_from <= $as_of, true)
      AND coalesce(r.valid_to > $as_of, true)
    RETURN true AS outgoing, type, r.to_key AS other, r AS r
    LIMIT $each
    UNION ALL
    MATCH (r:DeletedRelationship {team_id: $team_id, to_key: key})
    USING INDEX SEEK r:DeletedRelationship(team_id, to_key)
    WITH r, coalesce(r.type_word, r.deleted_type) AS type
    WHERE r.deleted_at > $as_of
      AND (r.user_id IS NULL OR r.user_id = $user_id)
      AND ($ends IS NULL OR r.from_key IN $ends)
      AND ($types IS NULL OR type IN $types)
      AND NOT type IN $without
      AND $incoming
      AND coalesce(r.valid_from <= $as_of, true)
      AND coalesce(r.valid_to > $as_of, true)
    RETURN false AS outgoing, type, r.from_key AS other, r AS r
    LIMIT $each
  }
  WITH DISTINCT outgoing, type, other, properties(r) AS p
  RETURN count(*) AS looked, collect([outgoing, type, other,
    [name IN keys(p) WHERE NOT name IN ['embedding', 'from_key', 'to_key', 'deleted_type', 'deleted_at', 'deleted_by'] | [name, p[name]]]]) AS links
}
RETURN key, looked, links
LIMIT 10000
