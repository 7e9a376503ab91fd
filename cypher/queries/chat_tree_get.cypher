// Returns a chat tree that the caller may see, by its id or the id of one of its turns, with the beginning of its first
// prompt.
// mode: read
// params: team_id, owners, id
// returns: tree, prompt
CALL () {
  MATCH (n:ChatTree {team_id: $team_id, id: $id})
  USING INDEX SEEK n:ChatTree(team_id, id)
  RETURN n, 0 AS rank
  UNION
  MATCH (o:ChatTurn {team_id: $team_id, id: $id})
  USING INDEX SEEK o:ChatTurn(team_id, id)
  MATCH (n:ChatTree {team_id: $team_id, id: o.tree_id})
  USING INDEX SEEK n:ChatTree(team_id, id)
  RETURN n, 1 AS rank
}
WITH n, rank
WHERE n.user_id IN $owners
WITH n
ORDER BY rank
LIMIT 1
CALL (n) {
  OPTIONAL MATCH (o:ChatTurn {team_id: $team_id, tree_id: n.id})
  USING INDEX SEEK o:ChatTurn(team_id, tree_id, seq)
  WHERE o.seq >= 0
  WITH o
  ORDER BY o.team_id, o.tree_id, o.seq
  LIMIT 1
  RETURN left(o.prompt, 200) AS prompt
}
RETURN [n.id, n.user_id, n.name, n.pinned, n.system_prompt, n.context, n.turn_count, n.created_at, n.updated_at] AS tree,
  prompt
LIMIT 1
