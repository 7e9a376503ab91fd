// Returns the former versions of nodes and relationships that the caller may see and that ended after a time, the newest first: of each
// record the last $each that ended until another time, and the first that ended after that. A version that a delete ended is one of them.
// mode: read
// params: team_id, user_id, changed, since_ms, until_ms, each, limit
// returns: key, kind, type, from, to, until, deleted, properties
UNWIND $changed AS record
CALL (record) {
  MATCH (f:Former {team_id: $team_id, former_of: record.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until > $since_ms
    AND f.until <= $until_ms
    AND (f.former_kind = 'relationship') = record.is_relationship
  WITH f
  ORDER BY f.until DESC, f.version DESC
  LIMIT $each
  RETURN f, f.until AS until, f.former_kind AS kind, coalesce(f.type_word, f.former_type) AS type, false AS deleted
  UNION ALL
  MATCH (f:Former {team_id: $team_id, former_of: record.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until > $until_ms
    AND (f.former_kind = 'relationship') = record.is_relationship
  WITH f
  ORDER BY f.until, f.version
  LIMIT 1
  RETURN f, f.until AS until, f.former_kind AS kind, coalesce(f.type_word, f.former_type) AS type, false AS deleted
  UNION ALL
  MATCH (f:Deleted {team_id: $team_id, entity_key: record.key})
  USING INDEX SEEK f:Deleted(team_id, entity_key)
  WHERE f.deleted_at.epochMillis > $since_ms
    AND NOT record.is_relationship
  RETURN f, f.deleted_at.epochMillis AS until, f.deleted_kind AS kind, null AS type, true AS deleted
  UNION ALL
  MATCH (f:DeletedRelationship {team_id: $team_id, key: record.key})
  USING INDEX SEEK f:DeletedRelationship(team_id, key)
  WHERE f.deleted_at.epochMillis > $since_ms
    AND record.is_relationship
  RETURN f, f.deleted_at.epochMillis AS until, 'relationship' AS kind, coalesce(f.type_word, f.deleted_type) AS type, true AS deleted
}
WITH record, f, until, kind, type, deleted
WHERE f.user_id IS NULL OR f.user_id = $user_id OR kind = 'source' AND $user_id IN f.participants
WITH record, f, until, kind, type, deleted
ORDER BY until DESC, f.version DESC
LIMIT $limit
RETURN record.key AS key, kind, type, f.from_key AS from, f.to_key AS to, until, deleted,
  [name IN keys(f) WHERE NOT name IN ['team_id', 'former_of', 'former_kind', 'former_type', 'until', 'thin_at', 'from_key', 'to_key', 'deleted_type', 'deleted_kind', 'deleted_by', 'deleted_with'] | [name, f[name]]] AS properties
LIMIT 10000
