// Returns the preferences that a user had at a time, by key: of each the version that was replaced or deleted first after the time, else
// the stored one; none if it was written later, because that of the time is not kept. The former versions are those from $first to before $end.
// mode: read
// params: team_id, user_id, first, end, at
// returns: key, value
CALL () {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL
  RETURN p, 9007199254740991 AS until
  UNION ALL
  MATCH (p:Former {team_id: $team_id})
  USING INDEX SEEK p:Former(team_id, former_of, until)
  WHERE p.former_of >= $first AND p.former_of < $end AND p.former_kind = 'preference' AND p.until > $at
  RETURN p, p.until AS until
}
WITH p, until
ORDER BY until
WITH p.key AS key, head(collect(p)) AS p
WHERE coalesce(p.created_at.epochMillis, 0) <= $at
  AND coalesce(p.updated_at.epochMillis <= $at, true)
WITH key, p
ORDER BY key
RETURN key, p.value AS value
LIMIT 200
