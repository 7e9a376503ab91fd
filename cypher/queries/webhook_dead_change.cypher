// Changes a failed delivery of a webhook.
// mode: write
// params: team_id, webhook_id, id, properties
// returns: id
MATCH (d:WebhookDead {team_id: $team_id, webhook_id: $webhook_id, id: $id})
SET d += $properties
RETURN d.id AS id
