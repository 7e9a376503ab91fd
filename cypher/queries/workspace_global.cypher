// Returns the projects that a caller may see: the last changed ones, their number, and their counts of each kind.
// $lists are the lists of projects, $users the users whose counts are included.
// mode: read
// params: team_id, user_id, users, lists, project_fields
// returns: projects, count, counts
CALL () {
  UNWIND $lists AS list
  CALL (list) {
    MATCH (n:Project {team_id: $team_id, workspace_list: list})
    USING INDEX SEEK n:Project(team_id, workspace_list, workspace_at, entity_key)
    WHERE n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.workspace_list, n.workspace_at, n.entity_key
    LIMIT 50
    RETURN n
  }
  WITH n
  ORDER BY n.workspace_at, n.entity_key
  LIMIT 50
  RETURN collect([field IN $project_fields | [field, n[field]]]) AS projects
}
CALL () {
  UNWIND $users AS user
  MATCH (w:Workspace {team_id: $team_id, user_id: user, project_id: ''})
  USING INDEX SEEK w:Workspace(team_id, user_id, project_id)
  RETURN sum(w.project_total) AS count
}
CALL () {
  UNWIND $users AS user
  MATCH (w:Workspace {team_id: $team_id, user_id: user})
  USING INDEX SEEK w:Workspace(team_id, user_id, project_id)
  WHERE w.project_id > ''
  WITH w, w.project_id AS project_id
  MATCH (p:Memory {team_id: $team_id, entity_key: project_id})
  USING INDEX SEEK p:Memory(team_id, entity_key)
  WHERE p:Project
    AND (p.user_id IS NULL OR p.user_id = $user_id)
  UNWIND [name IN keys(w) WHERE name ENDS WITH '_total'] AS name
  WITH name, sum(w[name]) AS total
  RETURN collect([name, total]) AS counts
}
RETURN projects, count, counts
LIMIT 1
