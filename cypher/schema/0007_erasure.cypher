// The records of a team, for its erasure and that of its users.
CREATE INDEX deleted_team IF NOT EXISTS
FOR (n:Deleted) ON (n.team_id);

CREATE INDEX deleted_relationship_team IF NOT EXISTS
FOR (n:DeletedRelationship) ON (n.team_id);

CREATE INDEX idempotency_team IF NOT EXISTS
FOR (n:IdempotencyKey) ON (n.team_id);

CREATE INDEX import_team IF NOT EXISTS
FOR (n:Import) ON (n.team_id);

CREATE INDEX preference_team IF NOT EXISTS
FOR (n:Preference) ON (n.team_id);

CREATE INDEX api_key_team IF NOT EXISTS
FOR (n:ApiKey) ON (n.team_id);
