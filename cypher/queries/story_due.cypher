// Returns sources of all teams that are due for storylines, longest due first.
// mode: read
// scope: server
// params: now_ms, limit
// returns: team_id, entity_key
MATCH (s:Source)
USING INDEX SEEK s:Source(story_due)
WHERE s.story_due <= $now_ms
WITH s
ORDER BY s.story_due
LIMIT $limit
RETURN s.team_id AS team_id,
  s.entity_key AS entity_key
LIMIT 100000
