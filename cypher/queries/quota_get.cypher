// The bounds of a team's own; no row: it has none.
// mode: read
// params: team_id
// returns: max_nodes, max_relationships, max_characters
MATCH (q:Quota {team_id: $team_id})
RETURN q.max_nodes AS max_nodes,
  q.max_relationships AS max_relationships,
  q.max_characters AS max_characters
LIMIT 1
