// Deletes the next reviews that were decided before $cutoff.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (w:Review)
USING INDEX SEEK w:Review(decided_at)
WHERE w.decided_at < $cutoff
WITH w
SKIP $skip
LIMIT $limit
DELETE w
RETURN count(*) AS purged
