// Adds to the counts of workspaces.
// mode: write
// params: team_id, rows
// returns: workspaces
UNWIND $rows AS row
MERGE (w:Workspace {team_id: $team_id, user_id: row.user, project_id: row.project})
SET w:Workspace
WITH w, row
CALL (w, row) {
  UNWIND row.counts AS c
  SET w[c[0]] = coalesce(w[c[0]], 0) + c[1]
}
RETURN count(w) AS workspaces
