// Returns the user's permanent core concepts, most salient first. Room left is filled with permanent active concepts,
// then with candidates. None of them decays.
// mode: read
// plan: kept
// params: team_id, user_id, until
// returns: core_beliefs
MATCH (n:Concept {team_id: $team_id, user_id: $user_id, state: 'core', ttl_policy: 'keep_forever'})
USING INDEX SEEK n:Concept(team_id, user_id, state, ttl_policy, salience, entity_key)
WHERE n.salience IS NOT NULL
  AND n.entity_key IS NOT NULL
  AND n.created_at <= $until
WITH n
ORDER BY n.team_id DESC, n.user_id DESC, n.state DESC, n.ttl_policy DESC, n.salience DESC, n.entity_key DESC
LIMIT 10
WITH collect(n) AS permanent
CALL (permanent) {
  WITH permanent
  WHERE size(permanent) < 10
  CALL (permanent) {
    MATCH (n:Concept {team_id: $team_id, user_id: $user_id, state: 'active', ttl_policy: 'keep_forever'})
    USING INDEX SEEK n:Concept(team_id, user_id, state, ttl_policy, salience, entity_key)
    WHERE n.salience IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND n.created_at <= $until
      AND NOT coalesce(n.is_goal, false)
    WITH n
    ORDER BY n.team_id DESC, n.user_id DESC, n.state DESC, n.ttl_policy DESC, n.salience DESC, n.entity_key DESC
    LIMIT 10
    RETURN n, 0 AS class
    UNION ALL
    MATCH (n:Concept {team_id: $team_id, user_id: $user_id, state: 'candidate', ttl_policy: 'keep_forever'})
    USING INDEX SEEK n:Concept(team_id, user_id, state, ttl_policy, salience, entity_key)
    WHERE n.salience IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND n.created_at <= $until
      AND NOT coalesce(n.is_goal, false)
    WITH n
    ORDER BY n.team_id DESC, n.user_id DESC, n.state DESC, n.ttl_policy DESC, n.salience DESC, n.entity_key DESC
    LIMIT 10
    RETURN n, 1 AS class
  }
  WITH n
  ORDER BY class, n.salience DESC, n.entity_key DESC
  LIMIT 10
  RETURN collect(n) AS more
}
UNWIND [n IN permanent | [n, false]] + [n IN more[..10 - size(permanent)] | [n, true]] AS shown
WITH shown[0] AS n, shown[1] AS filled
RETURN collect([
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties, n.notes[..20], n.trust, n.origin, filled
]) AS core_beliefs
