// Gives a webhook a new secret. The present one signs as well until $until_ms.
// mode: write
// params: team_id, id, secret, until_ms
// returns: id
MATCH (w:Webhook {team_id: $team_id, id: $id})
SET w.team_id = $team_id
WITH w, w.secret AS before
SET w.secret = $secret,
  w.secret_before = before,
  w.secret_before_until = $until_ms
RETURN w.id AS id
