// Pauses the search for statements in new messages of a user's conversation, or ends the pause. Returns no row if the user has no such
// conversation.
// mode: write
// params: team_id, user_id, source_key, paused, now
// returns: paused
MATCH (s:Memory {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
WHERE s:Source
  AND s.user_id = $user_id
SET s.statements_paused = CASE WHEN $paused THEN true END,
  s.updated_at = $now
RETURN $paused AS paused
LIMIT 1
