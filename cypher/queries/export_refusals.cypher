// Returns a page of the pairs of nodes of a team that somebody has said are two, by pair. exported: both are stored, or merged into
// another node.
// mode: read
// params: team_id, after, limit
// returns: pair, first_key, second_key, refused_at, exported
MATCH (d:DuplicateRefusal {team_id: $team_id})
USING INDEX SEEK d:DuplicateRefusal(team_id, pair)
WHERE d.pair > $after
WITH d
ORDER BY d.team_id, d.pair
LIMIT $limit
CALL (d) {
  UNWIND [d.first_key, d.second_key] AS key
  OPTIONAL MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  OPTIONAL MATCH (m:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK m:Deleted(team_id, entity_key)
  WITH key, n IS NOT NULL OR m.merged_into IS NOT NULL AS has
  RETURN count(DISTINCT CASE WHEN has THEN key END) = 2 AS exported
}
RETURN d.pair AS pair,
  d.first_key AS first_key,
  d.second_key AS second_key,
  d.refused_at AS refused_at,
  exported
