// Deletes one preference of a user, which becomes a former version, and returns how many there were with the key. Takes the lock of
// preference_write.
// mode: write
// params: team_id, user_id, key, replaced_at, thin_at
// returns: deleted
MERGE (l:PreferenceLock {team_id: $team_id, user_id: $user_id})
WITH l
CALL (l) {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id, key: $key})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  CREATE (f:Former {team_id: $team_id})
  SET f = p{.*, former_of: $user_id + '\u001f' + $key, former_kind: 'preference', deleted: true,
    until: CASE WHEN p.updated_at.epochMillis > $replaced_at THEN p.updated_at.epochMillis ELSE $replaced_at END, thin_at: $thin_at}
  DELETE p
  RETURN count(p) AS deleted
}
DELETE l
RETURN deleted
