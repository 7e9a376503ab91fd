// Writes that wait until somebody decides about them, by their state. A user_id is empty for the memory that a team shares.
CREATE CONSTRAINT review_key IF NOT EXISTS
FOR (w:Review) REQUIRE (w.team_id, w.key) IS UNIQUE;

CREATE INDEX review_user IF NOT EXISTS
FOR (w:Review) ON (w.team_id, w.user_id, w.state, w.key);

CREATE INDEX review_state IF NOT EXISTS
FOR (w:Review) ON (w.team_id, w.state, w.key);

// What was decided about all further writes of an origin and author.
CREATE CONSTRAINT trust_rule IF NOT EXISTS
FOR (r:TrustRule) REQUIRE (r.team_id, r.user_id, r.origin, r.author) IS UNIQUE;

// The least trust of a team's writes.
CREATE CONSTRAINT trust_setting IF NOT EXISTS
FOR (s:TrustSetting) REQUIRE s.team_id IS UNIQUE;

// What was withdrawn with a source, in parts.
CREATE CONSTRAINT withdrawal_part IF NOT EXISTS
FOR (w:Withdrawal) REQUIRE (w.team_id, w.source_key, w.part) IS UNIQUE;

CREATE INDEX review_decided IF NOT EXISTS
FOR (w:Review) ON (w.decided_at);

CREATE INDEX withdrawal_at IF NOT EXISTS
FOR (w:Withdrawal) ON (w.at);

// For erasures.
CREATE INDEX trust_rule_team IF NOT EXISTS
FOR (r:TrustRule) ON (r.team_id);

CREATE INDEX withdrawal_team IF NOT EXISTS
FOR (w:Withdrawal) ON (w.team_id);
