// Removes a source from the queue and locks it, with what it mentions and the storylines of its user about that.
// Returns no row when another instance has taken it. The user's person node is part of everything, and so of no story.
// mode: write
// params: team_id, source_key, now_ms, now
// returns: user_id, started_at, mentions
MATCH (s:Memory:Source {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
SET s.team_id = $team_id
WITH s
WHERE s:Memory AND s.story_due <= $now_ms
SET s.story_due = null
WITH s
CALL (s) {
  MATCH (s)-[m:mentions {team_id: $team_id}]->(n:Memory)
  WHERE coalesce(m.valid_to > $now, true)
    AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
    AND n.is_owner IS NULL
  WITH s, n
  ORDER BY n.entity_key
  LIMIT 1000
  OPTIONAL MATCH (t:Memory {team_id: $team_id, natural_key: 'storyline\u001f' + s.user_id + '\u001f' + n.entity_key})
  USING INDEX SEEK t:Memory(team_id, natural_key)
  RETURN collect([n.entity_key, n.name, t.entity_key]) AS mentions
}
RETURN s.user_id AS user_id,
  s.started_at AS started_at,
  mentions
