// Locks a chat tree that the caller may see until the transaction ends, so that writers of its turns are serialized.
// Setting a label that exists takes the lock and writes nothing. Returns what a new turn needs: an existing turn with
// its id, and the turn that it replies to.
// mode: write
// params: team_id, owners, id, turn_id, parent_id, now
// returns: user_id, turn_count, next_seq, turn, parent_status
MATCH (n:ChatTree {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTree(team_id, id)
WHERE n.user_id IN $owners
SET n:ChatTree
WITH n
OPTIONAL MATCH (o:ChatTurn {team_id: $team_id, id: $turn_id})
USING INDEX SEEK o:ChatTurn(team_id, id)
OPTIONAL MATCH (p:ChatTurn {team_id: $team_id, id: $parent_id})
USING INDEX SEEK p:ChatTurn(team_id, id)
WHERE p.tree_id = $id
RETURN n.user_id AS user_id,
  n.turn_count AS turn_count,
  n.next_seq AS next_seq,
  [o.tree_id, o.parent_id, o.prompt, o.user_id] AS turn,
  CASE WHEN p.status = 'generating' AND p.lease_until <= $now THEN 'interrupted' ELSE p.status END AS parent_status
