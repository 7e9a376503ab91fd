// Replaces all preferences of a user with the given rows. Concurrent replacements and erasures wait for the lock: the
// entry of a constraint (see schema/0003_preference.cypher), not the node, which is removed at the end.
// mode: write
// params: team_id, user_id, rows, now
// returns: kept
MERGE (l:PreferenceLock {team_id: $team_id, user_id: $user_id})
WITH l
CALL (l) {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL AND NOT p.key IN [row IN $rows | row.key]
  DELETE p
  RETURN count(p) AS removed
}
CALL (l) {
  UNWIND $rows AS row
  MERGE (p:Preference {team_id: $team_id, user_id: $user_id, key: row.key})
  ON CREATE SET p.created_at = $now
  SET p.value = row.value, p.updated_at = $now
  RETURN count(p) AS kept
}
DELETE l
RETURN kept
