// The feed of changes: the commits of a team in their order, numbered by its feed.
CREATE CONSTRAINT feed_team IF NOT EXISTS
FOR (f:Feed) REQUIRE f.team_id IS UNIQUE;

CREATE CONSTRAINT commit_seq IF NOT EXISTS
FOR (c:Commit) REQUIRE (c.team_id, c.seq) IS UNIQUE;

// Former versions of nodes, relationships and other records, found by the key of the record and by when the next version replaced them.
CREATE INDEX former_of IF NOT EXISTS
FOR (f:Former) ON (f.team_id, f.former_of, f.until);

// For the history's bounds: versions by age, and those to thin out.
CREATE INDEX former_until IF NOT EXISTS
FOR (f:Former) ON (f.until);

CREATE INDEX former_thin IF NOT EXISTS
FOR (f:Former) ON (f.thin_at);

CREATE INDEX commit_at IF NOT EXISTS
FOR (c:Commit) ON (c.at);

// For erasures and quotas.
CREATE INDEX former_team IF NOT EXISTS
FOR (f:Former) ON (f.team_id);

// Relationships of a node that were deleted since a day.
CREATE INDEX deleted_relationship_from IF NOT EXISTS
FOR (d:DeletedRelationship) ON (d.team_id, d.from_key);

CREATE INDEX deleted_relationship_to IF NOT EXISTS
FOR (d:DeletedRelationship) ON (d.team_id, d.to_key);
