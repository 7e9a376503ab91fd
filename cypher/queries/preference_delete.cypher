// Deletes one preference of a user, and returns how many there were with the key. Takes the lock of preference_replace.
// mode: write
// params: team_id, user_id, key
// returns: deleted
MERGE (l:PreferenceLock {team_id: $team_id, user_id: $user_id})
WITH l
CALL (l) {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id, key: $key})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  DELETE p
  RETURN count(p) AS deleted
}
DELETE l
RETURN deleted
