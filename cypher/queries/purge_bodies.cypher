// Removes the next bodies of contexts that were last served before $cutoff.
// mode: write
// scope: server
// params: cutoff, limit
// returns: purged
MATCH (b:ContextBody)
USING INDEX SEEK b:ContextBody(last)
WHERE b.last <= $cutoff
WITH b
LIMIT $limit
DELETE b
RETURN count(*) AS purged
