// The lock of a user's preferences. Its node lives no longer than the transaction that makes it: what others wait for is
// the entry of this constraint, so that a user without any preference can be locked too, and nothing stays behind.
CREATE CONSTRAINT preference_lock IF NOT EXISTS
FOR (l:PreferenceLock) REQUIRE (l.team_id, l.user_id) IS UNIQUE;
