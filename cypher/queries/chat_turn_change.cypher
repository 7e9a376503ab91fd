// Changes a turn that the caller may see if it is in one of some states and, if given, in one of its attempts. The tree
// is locked first, so that the state compared is the state changed. A generation with an expired lease is interrupted.
// mode: write
// params: team_id, owners, id, statuses, attempt, next, properties, now
// returns: status, changed, attempt
MATCH (o:ChatTurn {team_id: $team_id, id: $id})
USING INDEX SEEK o:ChatTurn(team_id, id)
WHERE o.user_id IN $owners
MATCH (s:ChatTree {team_id: $team_id, id: o.tree_id})
USING INDEX SEEK s:ChatTree(team_id, id)
SET s:ChatTree
WITH s
MATCH (n:ChatTurn {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTurn(team_id, id)
WITH s, n, CASE WHEN n.status = 'generating' AND n.lease_until <= $now THEN 'interrupted' ELSE n.status END AS status
WITH s, n, status, status IN $statuses AND coalesce(n.attempt = $attempt, true) AS changed
FOREACH (done IN CASE WHEN changed THEN [true] ELSE [] END |
  SET n += $properties,
    n.attempt = n.attempt + $next,
    n.updated_at = $now,
    s.updated_at = $now
)
RETURN status,
  changed,
  n.attempt AS attempt
