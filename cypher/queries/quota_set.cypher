// Gives a team bounds of its own; null: those of the service. It is counted anew: texts may not have been bounded before.
// mode: write
// params: team_id, max_nodes, max_relationships, max_characters
// returns: teams
MERGE (q:Quota {team_id: $team_id})
SET q.max_nodes = $max_nodes,
  q.max_relationships = $max_relationships,
  q.max_characters = $max_characters,
  q.fresh_until = 0
RETURN count(q) AS teams
