// The user's goals in use: accessed after $week_ago, most salient first (S1-7).
// Two index walks, one a state, each in stored order; five of each are enough for five of both.
// mode: read
// params: team_id, user_id, week_ago
// returns: primary_goals
CALL () {
  MATCH (n:Concept {team_id: $team_id, user_id: $user_id, is_goal: true, state: 'active'})
  USING INDEX SEEK n:Concept(team_id, user_id, is_goal, state, salience, entity_key)
  WHERE n.salience IS NOT NULL
    AND n.entity_key IS NOT NULL
    AND n.last_accessed_at > $week_ago
    AND n.deleted_at IS NULL
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
    AND n.deleted_at IS NULL
  WITH n
  ORDER BY n.team_id DESC, n.user_id DESC, n.is_goal DESC, n.state DESC, n.salience DESC, n.entity_key DESC
  LIMIT 5
  RETURN n
}
WITH n
ORDER BY n.salience DESC, n.entity_key DESC
LIMIT 5
RETURN collect([
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties
]) AS primary_goals
