// Deletes a webhook with its failed deliveries.
// mode: write
// params: team_id, id
// returns: deleted
MATCH (w:Webhook {team_id: $team_id, id: $id})
OPTIONAL MATCH (d:WebhookDead {team_id: $team_id, webhook_id: $id})
WITH w, collect(d) AS dead
FOREACH (d IN dead | DETACH DELETE d)
DETACH DELETE w
RETURN count(*) AS deleted
