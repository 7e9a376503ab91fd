// Gives a team bounds of its own; null: those of the service.
// mode: write
// params: team_id, max_nodes, max_characters
// returns: teams
MERGE (q:Quota {team_id: $team_id})
SET q.max_nodes = $max_nodes,
  q.max_characters = $max_characters
RETURN count(q) AS teams
