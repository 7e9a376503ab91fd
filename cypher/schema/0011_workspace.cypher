// The workspaces of projects. A node that belongs to a project has the place that its kind gives it there: workspace_list
// is the list in which an agent is shown it, workspace_direct its kind where it is linked with the project itself, each with
// the user to whom it is private; workspace_at and workspace_rank are their orders, the first one first.
CREATE INDEX workspace_order IF NOT EXISTS
FOR (n:Memory) ON (n.team_id, n.project_id, n.workspace_list, n.workspace_at, n.entity_key);

CREATE INDEX workspace_rank IF NOT EXISTS
FOR (n:Memory) ON (n.team_id, n.project_id, n.workspace_direct, n.workspace_rank, n.entity_key);

// Open tasks by the days that they start and are due.
CREATE INDEX workspace_due IF NOT EXISTS
FOR (n:Task) ON (n.team_id, n.project_id, n.workspace_list, n.due_at, n.workspace_at, n.entity_key);

CREATE INDEX workspace_start IF NOT EXISTS
FOR (n:Task) ON (n.team_id, n.project_id, n.workspace_list, n.start_at, n.workspace_at, n.entity_key);

// Projects, the last changed first.
CREATE INDEX workspace_projects IF NOT EXISTS
FOR (n:Project) ON (n.team_id, n.workspace_list, n.workspace_at, n.entity_key);

// How many nodes a workspace has, for everybody (user_id is empty) and for each user beside.
CREATE CONSTRAINT workspace_counts IF NOT EXISTS
FOR (w:Workspace) REQUIRE (w.team_id, w.user_id, w.project_id) IS UNIQUE;

CREATE INDEX workspace_team IF NOT EXISTS
FOR (w:Workspace) ON (w.team_id);
