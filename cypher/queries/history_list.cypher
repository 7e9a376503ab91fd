// Returns a page of the former versions of a node or relationship that the caller may see, the newest first: those that ended before a
// time, or at it with a smaller version. The version that a delete ended is one of them.
// mode: read
// params: team_id, user_id, key, is_relationship, before, before_version, limit
// returns: kind, type, from, to, until, deleted, properties
CALL () {
  MATCH (f:Former {team_id: $team_id, former_of: $key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= $before
    AND CASE WHEN $is_relationship THEN f.former_kind IN ['relationship', 'system_relationship'] ELSE f.entity_key = $key END
  RETURN f, f.until AS until, f.former_kind AS kind, coalesce(f.type_word, f.former_type) AS type, f.deleted IS NOT NULL AS deleted
  UNION ALL
  MATCH (f:Deleted {team_id: $team_id, entity_key: $key})
  USING INDEX SEEK f:Deleted(team_id, entity_key)
  WHERE NOT $is_relationship
  RETURN f, f.deleted_at.epochMillis AS until, f.deleted_kind AS kind, null AS type, true AS deleted
  UNION ALL
  MATCH (f:DeletedRelationship {team_id: $team_id, key: $key})
  USING INDEX SEEK f:DeletedRelationship(team_id, key)
  WHERE $is_relationship
  RETURN f, f.deleted_at.epochMillis AS until, 'relationship' AS kind, coalesce(f.type_word, f.deleted_type) AS type, true AS deleted
}
WITH f, until, kind, type, deleted
WHERE (until < $before OR until = $before AND coalesce(f.version, 1) < $before_version)
  AND (f.user_id IS NULL OR f.user_id = $user_id OR kind = 'source' AND $user_id IN f.participants)
WITH f, until, kind, type, deleted
ORDER BY until DESC, f.version DESC
LIMIT $limit
RETURN kind, type, f.from_key AS from, f.to_key AS to, until, deleted,
  [name IN keys(f) WHERE NOT name IN ['team_id', 'former_of', 'former_kind', 'former_type', 'until', 'thin_at', 'deleted', 'from_key', 'to_key', 'deleted_type', 'deleted_kind', 'deleted_by', 'deleted_with'] | [name, f[name]]] AS properties
LIMIT 10000
