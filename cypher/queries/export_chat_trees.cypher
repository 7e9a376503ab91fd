// Returns the next chat trees of a team by id.
// mode: read
// params: team_id, after, limit
// returns: tree
MATCH (n:ChatTree {team_id: $team_id})
USING INDEX SEEK n:ChatTree(team_id, id)
WHERE n.id > $after
WITH n
ORDER BY n.team_id, n.id
LIMIT $limit
RETURN [n.id, n.user_id, n.name, n.pinned, n.system_prompt, n.context, n.created_at, n.updated_at, n.created_by] AS tree
LIMIT 10000
