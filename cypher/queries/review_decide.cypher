// Records a decision about a write that waits. It returns no row if none waits with the key. Locks it until the transaction ends.
// mode: write
// params: team_id, key, state, now
// returns: key
MATCH (w:Review {team_id: $team_id, key: $key})
USING INDEX SEEK w:Review(team_id, key)
REMOVE w:Former
WITH w
WHERE w.state = 'waiting'
SET w.state = $state, w.decided_at = $now
RETURN w.key AS key
