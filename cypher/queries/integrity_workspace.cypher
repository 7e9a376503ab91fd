// Returns a workspace's stored counts for a user, and the counts of the nodes assigned to it. $counted is the prefix of
// that assignment. $list is the list of projects, which are counted under the empty project.
// mode: read
// params: team_id, project_id, user_id, counted, list, separator
// returns: stored, counted
CALL () {
  OPTIONAL MATCH (w:Workspace {team_id: $team_id, user_id: $user_id, project_id: $project_id})
  USING INDEX SEEK w:Workspace(team_id, user_id, project_id)
  RETURN [name IN keys(w) WHERE NOT name IN ['team_id', 'user_id', 'project_id'] | [name, w[name]]] AS stored
  LIMIT 1
}
CALL () {
  CALL () {
    MATCH (n:Memory {team_id: $team_id, project_id: $project_id})
    USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
    WHERE n.entity_key IS NOT NULL
      AND n.workspace_counted STARTS WITH $counted
    RETURN n
    UNION ALL
    MATCH (n:Project {team_id: $team_id, workspace_list: $list})
    USING INDEX SEEK n:Project(team_id, workspace_list, workspace_at, entity_key)
    WHERE n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND $project_id = ''
    RETURN n
  }
  UNWIND split(n.workspace_counted, $separator)[2..] AS name
  WITH name, count(*) AS nodes
  RETURN collect([name, nodes]) AS counted
}
RETURN stored, counted
LIMIT 1
