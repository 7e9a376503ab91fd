// Lists turns of a chat tree from number $from on, in order of creation, each with the beginning of its prompt.
// mode: read
// params: team_id, owners, tree_id, from, limit
// returns: turns
MATCH (n:ChatTurn {team_id: $team_id, tree_id: $tree_id})
USING INDEX SEEK n:ChatTurn(team_id, tree_id, seq)
WHERE n.seq >= $from
  AND n.user_id IN $owners
WITH n
ORDER BY n.team_id, n.tree_id, n.seq
LIMIT $limit
RETURN collect([n.id, n.parent_id, left(n.prompt, 30), n.status, n.attempt, n.created_at, n.lease_until, n.seq]) AS turns
