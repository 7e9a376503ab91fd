// Makes the given rows the whole of a user's preferences.
// mode: write
// params: team_id, user_id, rows, now
// returns: kept
CALL () {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  WHERE NOT p.key IN [row IN $rows | row.key]
  DELETE p
  RETURN count(p) AS removed
}
CALL () {
  UNWIND $rows AS row
  MERGE (p:Preference {team_id: $team_id, user_id: $user_id, key: row.key})
  ON CREATE SET p.created_at = $now
  SET p.value = row.value, p.updated_at = $now
  RETURN count(p) AS kept
}
RETURN kept
