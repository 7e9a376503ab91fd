// Deletes a chat tree that the caller may see, with all its turns.
// mode: write
// params: team_id, owners, id
// returns: removed
MATCH (n:ChatTree {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTree(team_id, id)
WHERE n.user_id IN $owners
SET n:ChatTree
WITH n
CALL (n) {
  OPTIONAL MATCH (o:ChatTurn {team_id: $team_id, tree_id: n.id})
  USING INDEX SEEK o:ChatTurn(team_id, tree_id, seq)
  WHERE o.seq >= 0
  WITH o, o.id AS id
  DETACH DELETE o
  RETURN collect(id) AS removed
}
DELETE n
RETURN removed
