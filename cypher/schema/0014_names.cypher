// Since this version natural keys compare names in Unicode's NFC, without blanks at their ends, and what a team shares counts
// no mentions by private sources. The store renews what is stored from before (graph/renew.go); the constraint is that of 0001.
CREATE CONSTRAINT memory_natural_key IF NOT EXISTS
FOR (n:Memory) REQUIRE (n.team_id, n.natural_key) IS UNIQUE;
