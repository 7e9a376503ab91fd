// Returns a page of some owners' chat trees, last changed first, each with the beginning of its first prompt.
// mode: read
// params: team_id, owners, pinned, before, before_id, limit
// returns: trees
UNWIND $owners AS owner
UNWIND $pinned AS pinned
CALL (owner, pinned) {
  MATCH (n:ChatTree {team_id: $team_id, user_id: owner, pinned: pinned})
  USING INDEX SEEK n:ChatTree(team_id, user_id, pinned, updated_at, id)
  WHERE n.updated_at <= $before
    AND n.id IS NOT NULL
    AND CASE WHEN n.updated_at = $before THEN n.id < $before_id ELSE true END
  WITH n
  ORDER BY n.team_id DESC, n.user_id DESC, n.pinned DESC, n.updated_at DESC, n.id DESC
  LIMIT $limit
  RETURN n
}
WITH n
ORDER BY n.updated_at DESC, n.id DESC
LIMIT $limit
CALL (n) {
  OPTIONAL MATCH (o:ChatTurn {team_id: $team_id, tree_id: n.id})
  USING INDEX SEEK o:ChatTurn(team_id, tree_id, seq)
  WHERE o.seq >= 0
  WITH o
  ORDER BY o.team_id, o.tree_id, o.seq
  LIMIT 1
  RETURN left(o.prompt, 200) AS prompt
}
RETURN collect([
  [n.id, n.user_id, n.name, n.pinned, n.system_prompt, n.context, n.turn_count, n.created_at, n.updated_at], prompt
]) AS trees
