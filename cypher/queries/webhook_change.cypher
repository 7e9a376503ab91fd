// Changes a webhook. A delivery that is to be tried again is forgotten if $anew is true. An active one is due at once.
// Whoever holds its lease loses it, and stores nothing of an attempt at what the webhook was before.
// mode: write
// params: team_id, id, properties, anew, now_ms
// returns: id
MATCH (w:Webhook {team_id: $team_id, id: $id})
SET w += $properties
WITH w
SET w.lease_holder = null,
  w.lease_until = null,
  w.due_at = CASE WHEN w.active THEN $now_ms END,
  w.disabled = CASE WHEN NOT w.active THEN w.disabled END
WITH w
SET w += CASE WHEN $anew THEN {batch_id: null, batch_seq: null, batch_item: null, first_at: null, attempts: 0} ELSE {} END
RETURN w.id AS id
