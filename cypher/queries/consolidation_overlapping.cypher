// Scans a part of a user's mentions, ordered by the mentioned node. Returns for each node how many were scanned, and
// its sources that are older than a week and not archived, oldest first. The last node may have one more.
// mode: read
// params: team_id, user_id, after, walk, week_ago, now_ms, now
// returns: entity_key, labels, name, is_owner, walked, sources
MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id}]->(n:Memory)
USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
WHERE m.node_key > $after
  AND m.started_at IS NOT NULL
WITH s, m, n
ORDER BY m.team_id, m.user_id, m.node_key, m.started_at
LIMIT $walk
WITH s, m, n, CASE WHEN s.decay_rate > 0 AND s.salience_at < $now_ms
  THEN s.salience * exp(s.decay_rate * (s.salience_at - $now_ms) / 86400000.0) ELSE coalesce(s.salience, 0.0) END AS salience
WITH n, count(m) AS walked, collect(DISTINCT CASE
  WHEN coalesce(s.ended_at, s.started_at) < $week_ago
    AND coalesce(m.valid_to > $now, true)
    AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
    AND (salience >= 0.01 OR s.salience < 0.01)
    AND s.state <> 'archived'
    AND s.ttl_policy <> 'keep_forever'
    AND coalesce(s.expires_at > $now_ms, true)
  THEN s.entity_key END) AS sources
ORDER BY n.entity_key
RETURN n.entity_key AS entity_key,
  labels(n) AS labels,
  n.name AS name,
  n.is_owner AS is_owner,
  walked,
  sources
LIMIT 10000
