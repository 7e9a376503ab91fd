// Returns the focus node, if the user may see it, and its strongest relationships: those that hold at $now.
// mode: read
// plan: kept
// params: team_id, user_id, focus_key, focus_label, now, now_ms, until
// returns: focus
CALL () {
  OPTIONAL MATCH (n:Memory {team_id: $team_id, entity_key: $focus_key})
  WHERE (n.user_id IS NULL OR n.user_id = $user_id)
    AND $focus_label IN labels(n)
    AND n.created_at <= $until
  RETURN n
  LIMIT 1
}
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]-(m:Memory {team_id: $team_id})
  WHERE (m.user_id IS NULL OR m.user_id = $user_id)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown AND r.valid_from <= $until)
    AND coalesce(r.valid_to > $now, true)
    AND (m:Person OR m:Concept OR m:Entity)
    AND type(r) <> 'mentions'
  WITH n, r, m, CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END AS salience,
    CASE WHEN m.decay_rate > 0 AND m.salience_at < $now_ms THEN m.salience * exp(m.decay_rate * (m.salience_at - $now_ms) / 86400000.0) ELSE m.salience END AS node_salience
  ORDER BY salience DESC, node_salience DESC, m.entity_key DESC, r.key DESC
  LIMIT 10
  RETURN collect([m.entity_key, m.name, CASE WHEN m:Person THEN 0 WHEN m:Concept THEN 1 ELSE 2 END,
    coalesce(r.type_word, type(r)), startNode(r) = n, r.description, salience, r.trust, r.origin, m.trust, m.origin]) AS links
}
RETURN CASE WHEN n IS NULL THEN null ELSE [
  [
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties, n.notes[..20], n.trust, n.origin
  ], links
] END AS focus
