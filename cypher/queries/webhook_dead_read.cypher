// Reads a failed delivery of a webhook.
// mode: read
// params: team_id, webhook_id, id
// returns: id, failed_at, attempts, reason, last_result, due_at, from_seq, from_item, to_seq, to_item
MATCH (d:WebhookDead {team_id: $team_id, webhook_id: $webhook_id, id: $id})
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
LIMIT 1
