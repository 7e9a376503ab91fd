// Returns the next turns of a team's chats up to a tree, by tree and order of creation: each follows the one it replies to.
// mode: read
// params: team_id, tree_id, last_tree, after_seq, limit
// returns: turn
MATCH (n:ChatTurn {team_id: $team_id})
USING INDEX SEEK n:ChatTurn(team_id, tree_id, seq)
WHERE n.tree_id >= $tree_id
  AND n.tree_id <= $last_tree
  AND n.seq IS NOT NULL
  AND CASE WHEN n.tree_id = $tree_id THEN n.seq > $after_seq ELSE true END
WITH n
ORDER BY n.team_id, n.tree_id, n.seq
LIMIT $limit
RETURN [
  n.id, n.tree_id, n.parent_id, n.seq, n.prompt, n.answer, n.provider_id, n.model, n.status, n.attempt, n.error, n.source,
  n.prompt_version, n.created_at, n.updated_at, n.created_by, n.lease_until
] AS turn
LIMIT 10000
