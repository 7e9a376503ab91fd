// Repeatable writes, leases and imports.
CREATE CONSTRAINT idempotency_key IF NOT EXISTS
FOR (k:IdempotencyKey) REQUIRE (k.team_id, k.key) IS UNIQUE;

CREATE CONSTRAINT lease_name IF NOT EXISTS
FOR (l:Lease) REQUIRE l.name IS UNIQUE;

CREATE CONSTRAINT import_id IF NOT EXISTS
FOR (i:Import) REQUIRE (i.team_id, i.import_id) IS UNIQUE;

// What was deleted loses its labels, and with them its place in every other index, until it is restored or purged.
CREATE INDEX deleted_key IF NOT EXISTS
FOR (n:Deleted) ON (n.team_id, n.entity_key);

CREATE INDEX deleted_at IF NOT EXISTS
FOR (n:Deleted) ON (n.deleted_at);

CREATE INDEX deleted_relationship_key IF NOT EXISTS
FOR (d:DeletedRelationship) ON (d.team_id, d.key);

CREATE INDEX deleted_relationship_at IF NOT EXISTS
FOR (d:DeletedRelationship) ON (d.deleted_at);

CREATE INDEX memory_project IF NOT EXISTS
FOR (n:Memory) ON (n.team_id, n.project_id, n.entity_key);

CREATE INDEX idempotency_created IF NOT EXISTS
FOR (k:IdempotencyKey) ON (k.created_at);
