// How much each team has, where that is bounded, and bounds of its own. Who adds to a team holds its node until the commit.
CREATE CONSTRAINT quota_team IF NOT EXISTS
FOR (q:Quota) REQUIRE q.team_id IS UNIQUE;
