// Pauses the search for statements in a user's messages, or in all of a team (user_id is empty), or ends the pause.
// mode: write
// params: team_id, user_id, paused, now
// returns: paused
CALL () {
  WITH 1 AS one
  WHERE $paused
  MERGE (p:StatementPause {team_id: $team_id, user_id: $user_id})
  ON CREATE SET p.created_at = $now
  RETURN count(p) AS made
}
CALL () {
  WITH 1 AS one
  WHERE NOT $paused
  MATCH (p:StatementPause {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:StatementPause(team_id, user_id)
  DELETE p
  RETURN count(p) AS ended
}
RETURN $paused AS paused
LIMIT 1
