// Removes nodes that are not the user's from the user's private projects, and their counts there.
// mode: write
// params: team_id, user_id, entity_keys
// returns: detached
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, project_id: key})
USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
WHERE n.entity_key IS NOT NULL
  AND coalesce(n.user_id <> $user_id, true)
SET n.project_id = null, n.merged_from = null, n.workspace_list = null, n.workspace_at = null, n.workspace_direct = null,
  n.workspace_rank = null, n.workspace_links = null, n.workspace_counted = null
WITH key, coalesce(n.user_id, '') AS user, count(n) AS nodes
CALL (key, user) {
  OPTIONAL MATCH (w:Workspace {team_id: $team_id, user_id: user, project_id: key})
  USING INDEX SEEK w:Workspace(team_id, user_id, project_id)
  DELETE w
  RETURN count(w) AS counts
}
RETURN sum(nodes) AS detached
