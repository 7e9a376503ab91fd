// Sets one preference of a user, unless the user has the maximum number of others. Takes the lock of
// preference_replace.
// mode: write
// params: team_id, user_id, key, value, most, now
// returns: kept
MERGE (l:PreferenceLock {team_id: $team_id, user_id: $user_id})
WITH l
CALL (l) {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL AND p.key <> $key
  RETURN count(p) AS others
}
FOREACH (one IN CASE WHEN others < $most THEN [$key] ELSE [] END |
  MERGE (p:Preference {team_id: $team_id, user_id: $user_id, key: one})
  ON CREATE SET p.created_at = $now
  SET p.value = $value, p.updated_at = $now
)
DELETE l
RETURN others < $most AS kept
