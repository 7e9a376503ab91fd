// One source that the user may see: the team's, the user's own, or one the user took part in. A team that names no user
// may see any of its own.
// mode: read
// params: team_id, user_id, entity_key
// returns: source
MATCH (s:Memory:Source {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
WHERE ($user_id IS NULL OR s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
RETURN [
  s.entity_key, s.user_id, s.content_type, s.context_type, s.source_type, s.sensitivity,
  s.started_at, s.ended_at, s.summary, s.keywords, s.tags, s.participants, s.message_count,
  s.focus_project_id, s.focus_kind, s.focus_id
] AS source
LIMIT 1
