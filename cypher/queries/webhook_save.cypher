// Gives the lease of a webhook back and stores what its holder found, unless its delivery was forgotten meanwhile. The holder may
// take the lease again with the properties.
// mode: write
// params: team_id, id, holder, batch_id, properties
// returns: saved
MATCH (w:Webhook {team_id: $team_id, id: $id})
SET w.team_id = $team_id
WITH w
WHERE w.lease_holder = $holder
SET w.lease_holder = null,
  w.lease_until = null
WITH w
WHERE coalesce(w.batch_id, '') = $batch_id
SET w += $properties
WITH w
SET w.due_at = CASE WHEN w.active THEN w.due_at END
RETURN count(w) AS saved
