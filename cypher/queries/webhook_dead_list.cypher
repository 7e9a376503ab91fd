// Lists the failed deliveries of a webhook, the oldest first.
// mode: read
// params: team_id, webhook_id, after, limit
// returns: id, failed_at, attempts, reason, last_result, due_at, from_seq, from_item, to_seq, to_item
MATCH (d:WebhookDead {team_id: $team_id, webhook_id: $webhook_id})
USING INDEX SEEK d:WebhookDead(team_id, webhook_id, id)
WHERE d.id > $after
WITH d
ORDER BY d.team_id, d.webhook_id, d.id
LIMIT $limit
RETURN d.id AS id,
  d.failed_at AS failed_at,
  d.attempts AS attempts,
  d.reason AS reason,
  d.last_result AS last_result,
  d.due_at AS due_at,
  d.from_seq AS from_seq,
  d.from_item AS from_item,
  d.to_seq AS to_seq,
  d.to_item AS to_item
