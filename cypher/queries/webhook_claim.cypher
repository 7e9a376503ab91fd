// Takes the lease of a webhook, unless another process has it. With $due it must be due. Returns all that a delivery needs.
// mode: write
// params: team_id, id, holder, due, now_ms, until_ms
// returns: id, url, user_id, kinds, ops, next_seq, next_item, batch_id, batch_seq, batch_item, first_at, attempts, secret, secret_before, secret_before_until
MATCH (w:Webhook {team_id: $team_id, id: $id})
SET w.team_id = $team_id
WITH w
WHERE coalesce(w.lease_until <= $now_ms, true)
  AND (NOT $due OR w.due_at <= $now_ms)
SET w.lease_holder = $holder,
  w.lease_until = $until_ms
RETURN w.id AS id,
  w.url AS url,
  w.user_id AS user_id,
  w.kinds AS kinds,
  w.ops AS ops,
  w.next_seq AS next_seq,
  w.next_item AS next_item,
  w.batch_id AS batch_id,
  w.batch_seq AS batch_seq,
  w.batch_item AS batch_item,
  w.first_at AS first_at,
  w.attempts AS attempts,
  w.secret AS secret,
  w.secret_before AS secret_before,
  w.secret_before_until AS secret_before_until
