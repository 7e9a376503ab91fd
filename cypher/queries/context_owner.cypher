// Returns the person node of the user, the identity of the agent context. Without one it returns null instead of no
// row.
// mode: read
// plan: kept
// params: team_id, user_id
// returns: owner
OPTIONAL MATCH (n:Person {team_id: $team_id, owner_of: $user_id})
WITH n LIMIT 1
RETURN CASE WHEN n IS NULL THEN null ELSE [
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.decay_rate, n.salience_at, n.expires_at, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties, n.notes[..20], n.trust, n.origin
] END AS owner
