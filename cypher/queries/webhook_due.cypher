// Lists the webhooks of all teams that are due, of teams with commits behind them, the longest due first.
// mode: read
// scope: server
// params: now_ms, limit
// returns: team, id
MATCH (w:Webhook)
WHERE w.due_at <= $now_ms
  AND coalesce(w.lease_until <= $now_ms, true)
MATCH (f:Feed {team_id: w.team_id})
WHERE f.seq >= w.next_seq
WITH w
ORDER BY w.due_at
LIMIT $limit
RETURN w.team_id AS team,
  w.id AS id
