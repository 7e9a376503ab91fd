// What users said to remember, by its place in a message. Only statements that contexts show have "shown": their group, in the order
// of their rank. Topics find what a new statement renews or contradicts.
CREATE CONSTRAINT statement_key IF NOT EXISTS
FOR (x:Statement) REQUIRE (x.team_id, x.key) IS UNIQUE;

CREATE INDEX statement_shown IF NOT EXISTS
FOR (x:Statement) ON (x.team_id, x.user_id, x.shown, x.rank, x.key);

CREATE INDEX statement_topic IF NOT EXISTS
FOR (x:Statement) ON (x.team_id, x.user_id, x.topic);

CREATE INDEX statement_user IF NOT EXISTS
FOR (x:Statement) ON (x.team_id, x.user_id, x.key);

CREATE INDEX statement_message IF NOT EXISTS
FOR (x:Statement) ON (x.team_id, x.message_key);

// Where Kith looks for no statements: a user's memory, or a team's (no user_id).
CREATE CONSTRAINT statement_pause IF NOT EXISTS
FOR (p:StatementPause) REQUIRE (p.team_id, p.user_id) IS UNIQUE;

// For erasures.
CREATE INDEX statement_team IF NOT EXISTS
FOR (x:Statement) ON (x.team_id);

CREATE INDEX statement_pause_team IF NOT EXISTS
FOR (p:StatementPause) ON (p.team_id);
