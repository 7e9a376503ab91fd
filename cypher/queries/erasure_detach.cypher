// Removes nodes that are not the user's from the user's private projects.
// mode: write
// params: team_id, user_id, entity_keys
// returns: detached
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, project_id: key})
USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
WHERE n.entity_key IS NOT NULL
  AND coalesce(n.user_id <> $user_id, true)
SET n.project_id = null, n.workspace_list = null, n.workspace_at = null, n.workspace_direct = null,
  n.workspace_rank = null, n.workspace_links = null, n.workspace_counted = null
RETURN count(n) AS detached
