// Returns a page of the user's sources that mention a node, the newest first: those with the same start as the last one of the previous
// page and smaller keys, then those with an earlier start. With $other_key it returns the sources that mention that node too. Of each
// source it returns the first five of its first 1,000 messages that have a name of each group.
// mode: read
// params: team_id, user_id, entity_key, other_key, before, before_key, groups, limit, now
// returns: sources
CALL () {
  MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: $entity_key}]->()
  USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
  WHERE coalesce(m.valid_to > $now, true)
    AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
    AND m.started_at <= $before
    AND (m.started_at < $before OR s.entity_key < $before_key)
    AND ($other_key IS NULL OR EXISTS { (s)-[:mentions {team_id: $team_id, user_id: $user_id, node_key: $other_key}]->() })
  WITH s, m
  ORDER BY m.team_id DESC, m.user_id DESC, m.node_key DESC, m.started_at DESC, s.entity_key DESC
  LIMIT $limit
  RETURN s, m
}
CALL (s) {
  MATCH (t:Message {team_id: $team_id, source_key: s.entity_key})
  USING INDEX SEEK t:Message(team_id, source_key, seq)
  WHERE t.seq < 1000
    AND all(group IN $groups WHERE any(name IN group WHERE toLower(t.text) CONTAINS name))
  WITH t
  ORDER BY t.team_id, t.source_key, t.seq
  LIMIT 5
  RETURN collect([t.entity_key, t.role, t.text]) AS messages
}
RETURN collect([s.entity_key, s.content_type, s.context_type, m.started_at, s.summary, messages]) AS sources
LIMIT 1
