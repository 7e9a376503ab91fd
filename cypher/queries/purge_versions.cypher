// Removes the next former versions that ended before $cutoff.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (f:Former)
USING INDEX SEEK f:Former(until)
WHERE f.until <= $cutoff.epochMillis
WITH f
SKIP $skip
LIMIT $limit
DELETE f
RETURN count(*) AS purged
