// Scans a part of a user's sources in key order. Returns how many were scanned, the last of them, and the first $limit
// that are older than a week and have faded.
// mode: read
// params: team_id, after, end, walk, limit, week_ago, now_ms
// returns: walked, last, sources
MATCH (s:Memory {team_id: $team_id})
USING INDEX SEEK s:Memory(team_id, natural_key)
WHERE s.natural_key > $after
  AND s.natural_key < $end
WITH s
ORDER BY s.team_id, s.natural_key
LIMIT $walk
WITH s, CASE WHEN s.decay_rate > 0 AND s.salience_at < $now_ms
  THEN s.salience * exp(s.decay_rate * (s.salience_at - $now_ms) / 86400000.0) ELSE coalesce(s.salience, 0.0) END AS salience
WITH count(s) AS walked, max(s.natural_key) AS last, collect(CASE
  WHEN coalesce(s.ended_at, s.started_at) < $week_ago
    AND salience < 0.2
    AND (salience >= 0.01 OR s.salience < 0.01)
    AND s.state <> 'archived'
    AND s.ttl_policy <> 'keep_forever'
    AND coalesce(s.expires_at > $now_ms, true)
  THEN [s.natural_key, s.entity_key, s.summary, s.started_at, s.ended_at, salience] END) AS sources
RETURN walked,
  last,
  sources[..$limit] AS sources
LIMIT 1
