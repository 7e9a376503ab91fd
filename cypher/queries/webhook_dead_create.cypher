// Records a delivery of a webhook that failed for good.
// mode: write
// params: team_id, webhook_id, id, properties
// returns: id
MATCH (w:Webhook {team_id: $team_id, id: $webhook_id})
MERGE (d:WebhookDead {team_id: $team_id, webhook_id: $webhook_id, id: $id})
SET d += $properties,
  d.user_id = w.user_id
RETURN d.id AS id
