// What was committed, by team and number. A feed has the last number of its team.
CREATE CONSTRAINT feed_team IF NOT EXISTS
FOR (f:Feed) REQUIRE f.team_id IS UNIQUE;

CREATE CONSTRAINT commit_seq IF NOT EXISTS
FOR (c:Commit) REQUIRE (c.team_id, c.seq) IS UNIQUE;

// For erasures.
CREATE INDEX commit_team IF NOT EXISTS
FOR (c:Commit) ON (c.team_id);
