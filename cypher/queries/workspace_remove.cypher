// Deletes the counts of a project that has no nodes any more, because it was merged into another one.
// mode: write
// params: team_id, project_id, users
// returns: removed
UNWIND $users AS user
MATCH (w:Workspace {team_id: $team_id, user_id: user, project_id: $project_id})
USING INDEX SEEK w:Workspace(team_id, user_id, project_id)
DELETE w
RETURN count(w) AS removed
