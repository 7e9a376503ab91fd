// Deletes all preferences of a user, and returns how many there were. Takes the lock of preference_replace.
// mode: write
// params: team_id, user_id
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
DELETE l
RETURN erased
