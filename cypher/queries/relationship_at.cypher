// Returns some relationships of a team at a time, by their keys, if another version is stored now or none: the version that was replaced
// or deleted first after it. existed: false between a delete and its undoing. A relationship counts from the start of its validity on,
// also before it was recorded. before: it is not that version, but the last one that is kept of those replaced by the time.
// mode: read
// params: team_id, user_id, keys, at
// returns: key, type, from, to, existed, before, properties
UNWIND $keys AS key
CALL (key) {
  CALL (key) {
    MATCH (r:Former {team_id: $team_id, former_of: key})
    USING INDEX SEEK r:Former(team_id, former_of, until)
    WHERE r.until > $at
      AND r.former_kind IN ['relationship', 'system_relationship']
      AND (r.user_id IS NULL OR r.user_id = $user_id)
    WITH r
    ORDER BY r.until, r.version
    LIMIT 1
    RETURN r, r.until AS until, r.former_type AS type
    UNION ALL
    MATCH (r:DeletedRelationship {team_id: $team_id, key: key})
    USING INDEX SEEK r:DeletedRelationship(team_id, key)
    WHERE r.deleted_at.epochMillis > $at
    RETURN r, r.deleted_at.epochMillis AS until, r.deleted_type AS type
  }
  WITH r, until, type
  WHERE r.user_id IS NULL OR r.user_id = $user_id
  WITH r, until, type
  ORDER BY until
  LIMIT 1
  RETURN collect({r: r, type: type, before: false}) AS taken
}
CALL (key) {
  MATCH (r:Former {team_id: $team_id, former_of: key})
  USING INDEX SEEK r:Former(team_id, former_of, until)
  WHERE r.until <= $at
    AND r.former_kind IN ['relationship', 'system_relationship']
    AND (r.user_id IS NULL OR r.user_id = $user_id)
  WITH r
  ORDER BY r.until DESC, r.version DESC
  LIMIT 1
  RETURN collect({r: r, type: r.former_type, before: true}) AS earlier
}
UNWIND taken + earlier AS found
WITH key, found.r AS r, found.type AS type, found.before AS before
RETURN key, coalesce(r.type_word, type) AS type, r.from_key AS from, r.to_key AS to,
  coalesce(r.restored_at, 0) <= $at AS existed, before,
  [name IN keys(r) WHERE NOT name IN ['team_id', 'former_of', 'former_kind', 'former_type', 'until', 'thin_at', 'deleted', 'from_key', 'to_key', 'deleted_type', 'deleted_at', 'deleted_by'] | [name, r[name]]] AS properties
LIMIT 10000
