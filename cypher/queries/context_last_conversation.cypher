// Returns the start, type and key of the user's newest conversation that says something, whatever its age: one of the last 1,000. The open
// conversation does not count.
// mode: read
// plan: kept
// params: team_id, user_id, until, conversation_id
// returns: last_conversation
MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
WHERE s.started_at <= $until
  AND s.entity_key IS NOT NULL
  AND s.entity_key <> $conversation_id
WITH s
ORDER BY s.team_id DESC, s.user_id DESC, s.content_type DESC, s.started_at DESC, s.entity_key DESC
LIMIT 1000
WITH s
WHERE s.message_count > 0
  OR s.summary <> ''
  OR EXISTS { (s)-[:mentions]->() }
WITH s
LIMIT 1
RETURN collect([s.started_at.epochMillis, s.context_type, s.entity_key]) AS last_conversation
