// Which contexts were served, so that they can be asked again. Times are nanoseconds since 1970; the last three digits of "at" are the
// number of the instance that served.
CREATE CONSTRAINT context_served_at IF NOT EXISTS
FOR (s:ContextServed) REQUIRE (s.team_id, s.user_id, s.view, s.at) IS UNIQUE;

// What they were made from, once for a user.
CREATE CONSTRAINT context_body_sum IF NOT EXISTS
FOR (b:ContextBody) REQUIRE (b.team_id, b.user_id, b.sum) IS UNIQUE;

// The bodies of a day, in the order in which they were first served.
CREATE INDEX context_body_day IF NOT EXISTS
FOR (b:ContextBody) ON (b.team_id, b.user_id, b.day, b.at);

// Each answer, if that is switched on.
CREATE CONSTRAINT served_event_at IF NOT EXISTS
FOR (e:ServedEvent) REQUIRE (e.team_id, e.user_id, e.at) IS UNIQUE;

// For the purge of what is old.
CREATE INDEX context_served_age IF NOT EXISTS
FOR (s:ContextServed) ON (s.at);

CREATE INDEX context_body_age IF NOT EXISTS
FOR (b:ContextBody) ON (b.last);

CREATE INDEX served_event_age IF NOT EXISTS
FOR (e:ServedEvent) ON (e.at);

// For erasures, and the quota.
CREATE INDEX context_served_team IF NOT EXISTS
FOR (s:ContextServed) ON (s.team_id);

CREATE INDEX context_body_team IF NOT EXISTS
FOR (b:ContextBody) ON (b.team_id);

CREATE INDEX served_event_team IF NOT EXISTS
FOR (e:ServedEvent) ON (e.team_id);
