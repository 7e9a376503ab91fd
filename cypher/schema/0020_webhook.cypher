// Where the changes of a team are sent. A webhook has due_at, in milliseconds since 1970, while it is active: the earliest time of
// its next delivery.
CREATE CONSTRAINT webhook_id IF NOT EXISTS
FOR (w:Webhook) REQUIRE (w.team_id, w.id) IS UNIQUE;

// A team has a bounded number of places for webhooks.
CREATE CONSTRAINT webhook_place IF NOT EXISTS
FOR (w:Webhook) REQUIRE (w.team_id, w.place) IS UNIQUE;

CREATE INDEX webhook_due IF NOT EXISTS
FOR (w:Webhook) ON (w.due_at);

// Deliveries that failed for good, the newest last. One has due_at while it is to be sent again.
CREATE CONSTRAINT webhook_dead_id IF NOT EXISTS
FOR (d:WebhookDead) REQUIRE (d.team_id, d.webhook_id, d.id) IS UNIQUE;

CREATE INDEX webhook_dead_due IF NOT EXISTS
FOR (d:WebhookDead) ON (d.due_at);

// For erasures.
CREATE INDEX webhook_team IF NOT EXISTS
FOR (w:Webhook) ON (w.team_id);

CREATE INDEX webhook_dead_team IF NOT EXISTS
FOR (d:WebhookDead) ON (d.team_id);
