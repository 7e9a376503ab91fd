// Sets a team's own quota; null: the service's quota. The team is recounted: its texts may not have been bounded
// before.
// mode: write
// params: team_id, max_nodes, max_relationships, max_characters
// returns: teams
MERGE (q:Quota {team_id: $team_id})
SET q.max_nodes = $max_nodes,
  q.max_relationships = $max_relationships,
  q.max_characters = $max_characters,
  q.fresh_until = 0
RETURN count(q) AS teams
