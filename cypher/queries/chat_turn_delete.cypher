// Deletes a turn that the caller may see, with all its descendants.
// mode: write
// params: team_id, owners, id, now
// returns: removed
MATCH (o:ChatTurn {team_id: $team_id, id: $id})
USING INDEX SEEK o:ChatTurn(team_id, id)
WHERE o.user_id IN $owners
MATCH (s:ChatTree {team_id: $team_id, id: o.tree_id})
USING INDEX SEEK s:ChatTree(team_id, id)
SET s:ChatTree
WITH s
MATCH (n:ChatTurn {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTurn(team_id, id)
CALL (n) {
  MATCH (n)<-[:REPLIES_TO*0..10000]-(b:ChatTurn)
  RETURN collect(DISTINCT b) AS below
}
WITH s, below, [b IN below | b.id] AS removed
FOREACH (b IN below | DETACH DELETE b)
SET s.turn_count = s.turn_count - size(removed),
  s.updated_at = $now
RETURN removed
