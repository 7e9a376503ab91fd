// Returns the nodes most strongly linked to the user on a day. Only the relationships themselves record that, so that
// all of the owner's are read; room left is not filled. Salience that has decayed since is the current one, other
// salience the stored one.
// mode: read
// plan: kept
// params: team_id, user_id, week_ago, now_ms, until
// returns: relationships
MATCH (o:Person {team_id: $team_id, owner_of: $user_id})
MATCH (o)-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to {team_id: $team_id}]-(n:Memory {team_id: $team_id})
WHERE (r.valid_from IS NULL OR r.valid_from <= $until)
  AND (r.valid_to IS NULL OR r.valid_to > $until)
  AND n.created_at <= $until
  AND n.state IN ['active', 'core']
  AND (n:Person OR n:Concept OR n:Entity)
  AND NOT coalesce(n.expires_at <= $now_ms, false)
WITH n, r, CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END AS salience, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS node_salience
WHERE n.salience < 0.01 OR node_salience >= 0.01
WITH n, r, salience, node_salience
ORDER BY salience DESC, r.key DESC
WITH n, node_salience, collect(r)[0] AS r, max(salience) AS salience
ORDER BY salience DESC, node_salience DESC, n.entity_key DESC
LIMIT 10
CALL (n) {
  MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: n.entity_key}]->()
  USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
  WHERE m.started_at > $week_ago
    AND m.started_at <= $until
    AND m.valid_to IS NULL
  RETURN count(m) AS recent_mentions
}
WITH collect([
  [
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence,
  n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties, n.notes[..20], n.trust, n.origin
  ],
  CASE WHEN n:Person THEN 0 WHEN n:Concept THEN 1 ELSE 2 END,
  r.description, salience, type(r), recent_mentions, false, r.trust, r.origin
]) AS relationships
RETURN [relationships, null] AS relationships
