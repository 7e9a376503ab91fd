// Lists the failed deliveries of all teams that are to be sent again.
// mode: read
// scope: server
// params: now_ms, limit
// returns: team, webhook_id, id
MATCH (d:WebhookDead)
WHERE d.due_at <= $now_ms
WITH d
ORDER BY d.due_at
LIMIT $limit
RETURN d.team_id AS team,
  d.webhook_id AS webhook_id,
  d.id AS id
