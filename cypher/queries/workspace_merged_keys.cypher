// Returns the next nodes of a project that came with another one ($to), which was merged into it, by key. Locks them until the transaction
// ends, and no other nodes of the project.
// mode: write
// params: team_id, project_id, to, after, limit
// returns: entity_key
MATCH (n:Memory {team_id: $team_id, project_id: $project_id})
USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
WHERE n.entity_key > $after
  AND $to IN n.merged_from
WITH n
ORDER BY n.team_id, n.project_id, n.entity_key
LIMIT $limit
REMOVE n:Former
WITH n
WHERE n:Memory
RETURN n.entity_key AS entity_key
