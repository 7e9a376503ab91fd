// Removes the next records of contexts that were served before $cutoff.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (s:ContextServed)
USING INDEX SEEK s:ContextServed(at)
WHERE s.at <= $cutoff
WITH s
SKIP $skip
LIMIT $limit
DELETE s
RETURN count(*) AS purged
