// Returns the next nodes of a project, by key. Locks them until the transaction ends.
// mode: write
// params: team_id, project_id, after, limit
// returns: entity_key
MATCH (n:Memory {team_id: $team_id, project_id: $project_id})
USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.project_id, n.entity_key
LIMIT $limit
REMOVE n:Former
WITH n
WHERE n:Memory
RETURN n.entity_key AS entity_key
