// What the user is most strongly linked to, with how and how often it came up in the last week (S1-8 … S1-10).
// Each type's index holds only the relationships between the owner and what may be shown, in the order of their stored
// salience (see relationship_rank.cypher). Salience decays, and the stored value is the upper bound of the current one: the
// tenth best node of the first walks is a bound, and whatever may be above it is read in the second. Where the first walks
// end at fewer than ten nodes, as some have several relationships, the second reads all.
// mode: read
// params: team_id, user_id, week_ago, now_ms, until
// returns: relationships
MATCH (o:Person {team_id: $team_id, owner_of: $user_id})
CALL (o) {
  MATCH ()-[r:has_relationship_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:has_relationship_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
  UNION ALL
  MATCH ()-[r:thinks_about {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:thinks_about(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
  UNION ALL
  MATCH ()-[r:relates_to {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:relates_to(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
  UNION ALL
  MATCH ()-[r:involves {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:involves(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
  UNION ALL
  MATCH ()-[r:associated_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:associated_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
  UNION ALL
  MATCH ()-[r:engages_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:engages_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
  UNION ALL
  MATCH ()-[r:connected_to {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:connected_to(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r
}
WITH o, collect(r) AS first
CALL (o, first) {
  UNWIND first AS r
  WITH r, CASE WHEN startNode(r) = o THEN endNode(r) ELSE startNode(r) END AS n, CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END AS salience
  WHERE NOT coalesce(n.expires_at <= $now_ms, false)
    AND (n.salience < 0.01 OR CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END >= 0.01)
  WITH n, max(salience) AS best
  ORDER BY best DESC
  LIMIT 10
  RETURN collect(best) AS bests
}
WITH o, first, CASE WHEN size(bests) = 10 THEN bests[9] WHEN size(first) < 10 THEN 2.0 ELSE -1.0 END AS bound
CALL (o, first, bound) {
  UNWIND first AS r
  RETURN r
  UNION
  MATCH ()-[r:has_relationship_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:has_relationship_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
  UNION
  MATCH ()-[r:thinks_about {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:thinks_about(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
  UNION
  MATCH ()-[r:relates_to {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:relates_to(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
  UNION
  MATCH ()-[r:involves {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:involves(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
  UNION
  MATCH ()-[r:associated_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:associated_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
  UNION
  MATCH ()-[r:engages_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:engages_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
  UNION
  MATCH ()-[r:connected_to {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:connected_to(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience > bound
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  RETURN r
}
WITH r, CASE WHEN startNode(r) = o THEN endNode(r) ELSE startNode(r) END AS n, CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END AS salience
WHERE NOT coalesce(n.expires_at <= $now_ms, false)
WITH r, n, salience, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS node_salience
WHERE n.salience < 0.01 OR node_salience >= 0.01
WITH r, n, salience, node_salience
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
RETURN collect([
  [
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence,
  n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties
  ],
  CASE WHEN n:Person THEN 0 WHEN n:Concept THEN 1 ELSE 2 END,
  r.description, salience, type(r), recent_mentions
]) AS relationships
