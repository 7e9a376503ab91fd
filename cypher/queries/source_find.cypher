// Returns one source that the user may see: shared, private to the user, or with the user as participant. Without a
// user all sources of the team are visible.
// mode: read
// params: team_id, user_id, entity_key
// returns: source
MATCH (s:Memory:Source {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
WHERE ($user_id IS NULL OR s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
RETURN [
  s.entity_key, s.user_id, s.content_type, s.context_type, s.source_type, s.sensitivity,
  s.started_at, s.ended_at, s.summary, s.keywords, s.tags, s.participants, s.message_count,
  s.focus_project_id, s.focus_kind, s.focus_id,
  coalesce(s.processing_status, 'raw'), s.processing_error, s.processed_at
] AS source
LIMIT 1
