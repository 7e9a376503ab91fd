// Returns a team's own quota, and its usage when last counted. Returns no row without a quota and a count.
// mode: read
// params: team_id
// returns: max_nodes, max_relationships, max_characters, nodes, relationships, characters
MATCH (q:Quota {team_id: $team_id})
RETURN q.max_nodes AS max_nodes,
  q.max_relationships AS max_relationships,
  q.max_characters AS max_characters,
  q.nodes AS nodes,
  q.relationships AS relationships,
  q.characters AS characters
LIMIT 1
