// The user's conversations since $week_ago, newest first, each with its most salient mentions (S1-11, S1-12).
// A mention is three list items: key, name, type.
// mode: read
// params: team_id, user_id, week_ago
// returns: sources
MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
WHERE s.started_at > $week_ago
  AND s.entity_key IS NOT NULL
  AND s.deleted_at IS NULL
WITH s
ORDER BY s.team_id DESC, s.user_id DESC, s.content_type DESC, s.started_at DESC, s.entity_key DESC
LIMIT 20
CALL (s) {
  MATCH (s)-[m:mentions]->(n:Memory {team_id: $team_id})
  WHERE n.salience > 0.3
    AND m.valid_to IS NULL
    AND (n:Person OR n:Concept OR n:Entity)
    AND n.deleted_at IS NULL
  WITH n
  ORDER BY n.salience DESC, n.entity_key DESC
  LIMIT 5
  WITH [n.entity_key, n.name, CASE WHEN n:Person THEN 'Person' WHEN n:Concept THEN 'Concept' ELSE 'Entity' END] AS mention
  RETURN reduce(all = [], one IN collect(mention) | all + one) AS mentions
}
RETURN collect([s.entity_key, s.started_at, s.ended_at, s.context_type, s.summary, mentions]) AS sources
