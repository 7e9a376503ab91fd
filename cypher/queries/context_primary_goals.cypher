// Returns the user's goals in use: accessed after $week_ago, most salient first. Salience decays, and the stored value
// is an upper bound of the current one. The fifth best of the first walks is a bound, and the second walks read all
// that may be above it. There is one walk for each state, in stored order. Room left is filled with goals not in use,
// then with candidates, each by current salience: of each state the 50 with the highest stored salience.
// mode: read
// plan: kept
// params: team_id, user_id, week_ago, now_ms, until
// returns: primary_goals
CALL () {
  MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'active'})
  USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
  WHERE n.salience IS NOT NULL
    AND n.entity_key IS NOT NULL
    AND n.last_accessed_at > $week_ago
    AND n.created_at <= $until
    AND coalesce(n.ends_at > $now_ms, true)
  WITH n
  ORDER BY n.team_id DESC, n.user_id DESC, n.is_goal DESC, n.state DESC, n.salience DESC, n.entity_key DESC
  LIMIT 5
  RETURN n
  UNION ALL
  MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'core'})
  USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
  WHERE n.salience IS NOT NULL
    AND n.entity_key IS NOT NULL
    AND n.last_accessed_at > $week_ago
    AND n.created_at <= $until
    AND coalesce(n.ends_at > $now_ms, true)
  WITH n
  ORDER BY n.team_id DESC, n.user_id DESC, n.is_goal DESC, n.state DESC, n.salience DESC, n.entity_key DESC
  LIMIT 5
  RETURN n
}
WITH n, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS salience
ORDER BY salience DESC
WITH collect(n) AS first, collect(salience) AS saliences
WITH first, CASE WHEN size(first) < 5 THEN 2.0 ELSE saliences[4] END AS bound
CALL (first, bound) {
  UNWIND first AS n
  RETURN n
  UNION
  MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'active'})
  USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
  WHERE n.salience >= bound
    AND n.entity_key IS NOT NULL
    AND n.last_accessed_at > $week_ago
    AND n.created_at <= $until
    AND coalesce(n.ends_at > $now_ms, true)
  RETURN n
  UNION
  MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'core'})
  USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
  WHERE n.salience >= bound
    AND n.entity_key IS NOT NULL
    AND n.last_accessed_at > $week_ago
    AND n.created_at <= $until
    AND coalesce(n.ends_at > $now_ms, true)
  RETURN n
}
WITH n, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS salience
ORDER BY salience DESC, n.entity_key DESC
LIMIT 5
WITH collect(n) AS used
CALL (used) {
  WITH used
  WHERE size(used) < 5
  CALL (used) {
    MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'active'})
    USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
    WHERE n.salience IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND coalesce(n.last_accessed_at <= $week_ago, true)
      AND n.created_at <= $until
      AND coalesce(n.ends_at > $now_ms, true)
    WITH n
    ORDER BY n.team_id DESC, n.user_id DESC, n.is_goal DESC, n.state DESC, n.salience DESC, n.entity_key DESC
    LIMIT 50
    RETURN n, 0 AS class
    UNION ALL
    MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'core'})
    USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
    WHERE n.salience IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND coalesce(n.last_accessed_at <= $week_ago, true)
      AND n.created_at <= $until
      AND coalesce(n.ends_at > $now_ms, true)
    WITH n
    ORDER BY n.team_id DESC, n.user_id DESC, n.is_goal DESC, n.state DESC, n.salience DESC, n.entity_key DESC
    LIMIT 50
    RETURN n, 0 AS class
    UNION ALL
    MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'candidate'})
    USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
    WHERE n.salience IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND n.created_at <= $until
      AND coalesce(n.ends_at > $now_ms, true)
    WITH n
    ORDER BY n.team_id DESC, n.user_id DESC, n.is_goal DESC, n.state DESC, n.salience DESC, n.entity_key DESC
    LIMIT 50
    RETURN n, 1 AS class
  }
  WITH n, class, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS salience
  ORDER BY class, salience DESC, n.entity_key DESC
  LIMIT 5
  RETURN collect(n) AS more
}
UNWIND [n IN used | [n, false]] + [n IN more[..5 - size(used)] | [n, true]] AS shown
WITH shown[0] AS n, shown[1] AS filled
RETURN collect([
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties, n.notes[..20], n.trust, n.origin, filled
]) AS primary_goals
