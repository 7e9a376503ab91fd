// Sources by their keys, each with the most salient of what it mentions.
// mode: read
// params: team_id, user_id, source_keys, mentioned
// returns: sources
UNWIND $source_keys AS key
MATCH (s:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK s:Memory(team_id, entity_key)
WHERE (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
  AND s:Source
CALL (s) {
  MATCH (s)-[m:mentions {team_id: $team_id}]->(n:Memory)
  WHERE m.valid_to IS NULL
    AND (n.user_id IS NULL OR n.user_id = $user_id)
  WITH n
  ORDER BY n.salience DESC, n.entity_key
  LIMIT $mentioned
  RETURN collect([n.entity_key, labels(n), n.name]) AS mentions
}
RETURN collect([
  s.entity_key, s.name, s.summary, s.content_type, s.context_type, s.source_type, s.started_at.epochMillis,
  s.ended_at.epochMillis, s.updated_at.epochMillis, s.salience, s.decay_rate, s.salience_at, s.state, s.ends_at, mentions
]) AS sources
LIMIT 1
