// Removes the next answers stored for idempotency keys before $cutoff.
// A key that is claimed at the same moment stays.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (k:IdempotencyKey)
USING INDEX SEEK k:IdempotencyKey(created_at)
WHERE k.created_at <= $cutoff
WITH k
SKIP $skip
LIMIT $limit
REMOVE k:Former
WITH k
WHERE k.created_at <= $cutoff
DELETE k
RETURN count(*) AS purged
