// Removes the next records of contexts that were served before $cutoff.
// mode: write
// scope: server
// params: cutoff, limit
// returns: purged
MATCH (s:ContextServed)
USING INDEX SEEK s:ContextServed(at)
WHERE s.at <= $cutoff
WITH s
LIMIT $limit
DELETE s
RETURN count(*) AS purged
