// Lists the webhooks of a team in the order in which they were created, without their secrets.
// mode: read
// params: team_id, limit
// returns: id, url, user_id, kinds, ops, active, created_at, disabled, next_seq, next_item, attempts, due_at, last_at, last_result, secret_before_until
MATCH (w:Webhook {team_id: $team_id})
WITH w
ORDER BY w.id
LIMIT $limit
RETURN w.id AS id,
  w.url AS url,
  w.user_id AS user_id,
  w.kinds AS kinds,
  w.ops AS ops,
  w.active AS active,
  w.created_at AS created_at,
  w.disabled AS disabled,
  w.next_seq AS next_seq,
  w.next_item AS next_item,
  w.attempts AS attempts,
  w.due_at AS due_at,
  w.last_at AS last_at,
  w.last_result AS last_result,
  w.secret_before_until AS secret_before_until
