// Deletes all preferences of a team's users with their former versions, and returns how many there were, without former versions. Takes
// each user's lock of preference_write, so that a concurrent replacement is deleted or kept as a whole.
// mode: write
// params: team_id
// returns: erased
CALL () {
  MATCH (known:Preference {team_id: $team_id})
  WHERE known.user_id IS NOT NULL AND known.key IS NOT NULL
  WITH DISTINCT known.user_id AS user
  ORDER BY user
  MERGE (l:PreferenceLock {team_id: $team_id, user_id: user})
  WITH l, user
  CALL (l, user) {
    MATCH (p:Preference {team_id: $team_id, user_id: user})
    WHERE p.key IS NOT NULL
    DELETE p
    RETURN count(p) AS removed
  }
  DELETE l
  RETURN coalesce(sum(removed), 0) AS erased
}
CALL (erased) {
  MATCH (f:Former {team_id: $team_id})
  USING INDEX SEEK f:Former(team_id)
  WHERE f.former_kind = 'preference'
  DELETE f
  RETURN count(f) AS former
}
RETURN erased
