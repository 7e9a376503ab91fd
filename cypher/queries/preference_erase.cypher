// Deletes all preferences of a user with their former versions, those from $first to before $end, and returns how many there were,
// without former versions. Takes the lock of preference_write.
// mode: write
// params: team_id, user_id, first, end
// returns: erased
MERGE (l:PreferenceLock {team_id: $team_id, user_id: $user_id})
WITH l
CALL (l) {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL
  DELETE p
  RETURN count(p) AS erased
}
CALL (l) {
  MATCH (f:Former {team_id: $team_id})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.former_of >= $first AND f.former_of < $end AND f.until IS NOT NULL AND f.former_kind = 'preference'
  DELETE f
  RETURN count(f) AS former
}
DELETE l
RETURN erased
