// Removes the next bodies of contexts that were last served before $cutoff.
// One that is served at the same moment stays.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (b:ContextBody)
USING INDEX SEEK b:ContextBody(last)
WHERE b.last <= $cutoff
WITH b
SKIP $skip
LIMIT $limit
REMOVE b:Former
WITH b
WHERE b.last <= $cutoff
DELETE b
RETURN count(*) AS purged
