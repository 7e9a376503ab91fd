// Returns a page of a user's conversations, newest first: those with the same start as the last one of the previous
// page and smaller keys, then those with an earlier start. Both walk the index, as its order of keys differs from that
// of comparisons elsewhere.
// mode: read
// params: team_id, user_id, before, before_key, limit
// returns: sources
CALL () {
  MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation', started_at: $before})
  USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
  WHERE s.entity_key < $before_key
  WITH s
  ORDER BY s.team_id DESC, s.user_id DESC, s.content_type DESC, s.started_at DESC, s.entity_key DESC
  LIMIT $limit
  RETURN collect(s) AS same_time
}
CALL () {
  MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
  USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
  WHERE s.started_at < $before
    AND s.entity_key IS NOT NULL
  WITH s
  ORDER BY s.team_id DESC, s.user_id DESC, s.content_type DESC, s.started_at DESC, s.entity_key DESC
  LIMIT $limit
  RETURN collect(s) AS earlier
}
RETURN [s IN (same_time + earlier)[..$limit] | [
  s.entity_key, s.user_id, s.content_type, s.context_type, s.source_type, s.sensitivity,
  s.started_at, s.ended_at, s.summary, s.keywords, s.tags, s.participants, s.message_count,
  s.focus_project_id, s.focus_kind, s.focus_id,
  coalesce(s.processing_status, 'raw'), s.processing_error, s.processed_at
]] AS sources
LIMIT 1
