// What the user is most strongly linked to, with how and how often it came up in the last week (S1-8 … S1-10).
// Each type's index holds only the relationships that count (one a node, its strongest; see relationship_rank.cypher)
// in the order asked for, so ten of each are enough for ten of all.
// mode: read
// params: team_id, user_id, week_ago
// returns: relationships
MATCH (o:Person {team_id: $team_id, owner_of: $user_id})
WHERE o.deleted_at IS NULL
CALL (o) {
  MATCH ()-[r:has_relationship_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:has_relationship_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
  UNION ALL
  MATCH ()-[r:thinks_about {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:thinks_about(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
  UNION ALL
  MATCH ()-[r:relates_to {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:relates_to(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
  UNION ALL
  MATCH ()-[r:involves {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:involves(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
  UNION ALL
  MATCH ()-[r:associated_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:associated_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
  UNION ALL
  MATCH ()-[r:engages_with {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:engages_with(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
  UNION ALL
  MATCH ()-[r:connected_to {team_id: $team_id, owner_key: o.entity_key}]->()
  USING INDEX SEEK r:connected_to(team_id, owner_key, salience, node_salience, node_key)
  WHERE r.salience IS NOT NULL
    AND r.node_salience IS NOT NULL
    AND r.node_key IS NOT NULL
  WITH r
  ORDER BY r.team_id DESC, r.owner_key DESC, r.salience DESC, r.node_salience DESC, r.node_key DESC
  LIMIT 10
  RETURN r, r.salience AS salience, r.node_salience AS node_salience, r.node_key AS node_key
}
WITH o, r, salience, node_salience, node_key
ORDER BY salience DESC, node_salience DESC, node_key DESC
LIMIT 10
WITH r, salience, CASE WHEN startNode(r) = o THEN endNode(r) ELSE startNode(r) END AS n
CALL (n) {
  MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: n.entity_key}]->()
  USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
  WHERE m.started_at > $week_ago
    AND m.valid_to IS NULL
    AND s.deleted_at IS NULL
  RETURN count(m) AS recent_mentions
}
RETURN collect([
  [
  n.entity_key, n.user_id IS NULL, n.name, n.canonical_name, n.type, n.description, n.is_owner, n.is_goal,
  n.state, n.ttl_policy, n.salience, n.confidence, n.access_count, n.last_accessed_at.epochMillis,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.properties
  ],
  CASE WHEN n:Person THEN 0 WHEN n:Concept THEN 1 ELSE 2 END,
  r.description, salience, type(r), recent_mentions
]) AS relationships
