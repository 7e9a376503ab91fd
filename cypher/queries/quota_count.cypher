// Stores a team's counted usage, and until when it is trusted.
// mode: write
// params: team_id, nodes, relationships, characters, fresh_until
// returns: teams
MATCH (q:Quota {team_id: $team_id})
SET q.nodes = $nodes,
  q.relationships = $relationships,
  q.characters = $characters,
  q.fresh_until = $fresh_until
RETURN count(q) AS teams
