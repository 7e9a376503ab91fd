// Returns a page of a team's chat trees by id, and the trees with wrong numbers together with the right ones.
// mode: read
// params: team_id, after, limit
// returns: seen, last, wrong
MATCH (n:ChatTree {team_id: $team_id})
USING INDEX SEEK n:ChatTree(team_id, id)
WHERE n.id > $after
WITH n
ORDER BY n.team_id, n.id
LIMIT $limit
CALL (n) {
  MATCH (o:ChatTurn {team_id: $team_id, tree_id: n.id})
  USING INDEX SEEK o:ChatTurn(team_id, tree_id, seq)
  WHERE o.seq >= 0
  RETURN count(o) AS turns, coalesce(max(o.seq) + 1, 0) AS next
}
RETURN count(*) AS seen,
  max(n.id) AS last,
  collect(CASE WHEN coalesce(n.turn_count <> turns OR n.next_seq < next, true) THEN [n.id, turns, next] END) AS wrong
LIMIT 1
