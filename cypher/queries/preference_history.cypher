// Returns a page of the versions of a user's preferences, the newest first: those that ended before a time, or at it with a later key.
// The former versions are those from $first to before $end; key: null for all keys. The stored ones have not ended.
// mode: read
// params: team_id, user_id, key, first, end, before, after_key, limit
// returns: key, value, from, until, deleted, written
CALL () {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL AND ($key IS NULL OR p.key = $key)
  RETURN p, 9007199254740991 AS until
  UNION ALL
  MATCH (p:Former {team_id: $team_id})
  USING INDEX SEEK p:Former(team_id, former_of, until)
  WHERE p.former_of >= $first AND p.former_of < $end AND p.until IS NOT NULL AND p.former_kind = 'preference'
  RETURN p, p.until AS until
}
WITH p, until
WHERE until < $before OR until = $before AND p.key > $after_key
WITH p, until
ORDER BY until DESC, p.key
LIMIT $limit
RETURN p.key AS key, p.value AS value, p.updated_at AS from, until, p.deleted IS NOT NULL AS deleted, p.written AS written
LIMIT 1000
