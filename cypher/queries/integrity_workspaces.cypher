// Returns the next workspaces of a team that have counts.
// mode: read
// params: team_id, project_id, user_id, limit
// returns: project_id, user_id
MATCH (w:Workspace {team_id: $team_id})
USING INDEX SEEK w:Workspace(team_id)
WHERE w.project_id > $project_id
  OR w.project_id = $project_id AND w.user_id > $user_id
WITH w
ORDER BY w.project_id, w.user_id
LIMIT $limit
RETURN w.project_id AS project_id,
  w.user_id AS user_id
