// Deletes a failed delivery of a webhook.
// mode: write
// params: team_id, webhook_id, id
// returns: deleted
MATCH (d:WebhookDead {team_id: $team_id, webhook_id: $webhook_id, id: $id})
DETACH DELETE d
RETURN count(*) AS deleted
