// The lock of the open statements of a user, as preference_lock: of two messages at the same moment that say something
// about the same topic, the second must find the statement of the first.
CREATE CONSTRAINT statement_lock IF NOT EXISTS
FOR (l:StatementLock) REQUIRE (l.team_id, l.user_id) IS UNIQUE;
