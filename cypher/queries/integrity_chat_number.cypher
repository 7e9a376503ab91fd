// Corrects the numbers of a chat tree's turns, unless the tree has changed since they were counted.
// mode: write
// params: team_id, id, turn_count, next_seq
// returns: numbered
MATCH (n:ChatTree {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTree(team_id, id)
SET n:ChatTree
WITH n
CALL (n) {
  MATCH (o:ChatTurn {team_id: $team_id, tree_id: n.id})
  USING INDEX SEEK o:ChatTurn(team_id, tree_id, seq)
  WHERE o.seq >= 0
  RETURN count(o) AS turns
}
WITH n, turns
WHERE turns = $turn_count
SET n.turn_count = $turn_count,
  n.next_seq = $next_seq
RETURN count(n) AS numbered
