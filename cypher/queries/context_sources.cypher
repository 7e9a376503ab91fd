// Returns the user's conversations since $week_ago that say something, newest first, each with its most salient mentions: of the last 1,000, as
// callers open some in which nothing is said. The mentions of
// a source are keys and names, each ended by a unit separator (which neither can contain: one value instead of five),
// and their kinds (0 person, 1 concept, 2 entity); of those with a trust also key, trust and origin. The open conversation is omitted. With fewer than five, the older
// ones are counted, up to 1,000, and so are those with less trust than $least_trust, and the writes that wait for a review.
// mode: read
// plan: kept
// params: team_id, user_id, week_ago, now_ms, until, conversation_id, least_trust, now
// returns: sources
MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
WHERE s.started_at > $week_ago
  AND s.started_at <= $until
  AND s.entity_key IS NOT NULL
  AND s.entity_key <> $conversation_id
  AND coalesce(s.trust, 1.0) >= $least_trust
WITH s
ORDER BY s.team_id DESC, s.user_id DESC, s.content_type DESC, s.started_at DESC, s.entity_key DESC
LIMIT 1000
WITH s
WHERE s.message_count > 0
  OR s.summary <> ''
  OR EXISTS { (s)-[:mentions]->() }
WITH s
LIMIT 20
CALL (s) {
  MATCH (s)-[m:mentions]->(n:Memory {team_id: $team_id})
  WHERE n.salience > 0.3
    AND coalesce(m.valid_to > $now, true)
  WITH n, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS salience
  WHERE salience > 0.3
  WITH n, salience
  ORDER BY salience DESC, n.entity_key DESC
  LIMIT 5
  RETURN reduce(text = '', key IN collect(n.entity_key) | text + key + '\u001f') AS keys,
    reduce(text = '', name IN collect(n.name) | text + name + '\u001f') AS names,
    collect(CASE WHEN n:Person THEN 0 WHEN n:Concept THEN 1 ELSE 2 END) AS kinds,
    collect(CASE WHEN n.trust IS NOT NULL THEN [n.entity_key, n.trust, n.origin] END) AS trusted
}
WITH collect([
  s.entity_key, s.started_at.epochMillis, s.ended_at.epochMillis, s.context_type, s.summary, keys, names, kinds, s.trust, s.origin, trusted
]) AS sources
CALL (sources) {
  WITH sources
  WHERE size(sources) < 5
  MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
  USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
  WHERE s.started_at <= $week_ago
    AND s.entity_key IS NOT NULL
    AND s.entity_key <> $conversation_id
  WITH s
  LIMIT 1000
  WITH s
  WHERE s.message_count > 0
    OR s.summary <> ''
    OR EXISTS { (s)-[:mentions]->() }
  RETURN count(s) AS older
}
CALL (sources) {
  WITH sources
  WHERE size(sources) < 20
  MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: 'conversation'})
  USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
  WHERE s.started_at > $week_ago
    AND s.started_at <= $until
    AND s.entity_key IS NOT NULL
    AND s.trust < $least_trust
  WITH s
  LIMIT 1000
  RETURN count(s) AS distrusted
}
CALL (sources) {
  WITH sources
  MATCH (w:Review {team_id: $team_id, user_id: $user_id, state: 'waiting'})
  USING INDEX SEEK w:Review(team_id, user_id, state, key)
  WHERE w.key IS NOT NULL
  WITH w
  LIMIT 1000
  RETURN count(w) AS waiting
}
WITH sources, [older, distrusted, waiting] AS counts
RETURN [sources, counts] AS sources
