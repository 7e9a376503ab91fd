// Removes the next answers stored for idempotency keys before $cutoff.
// mode: write
// scope: server
// params: cutoff, limit
// returns: purged
MATCH (k:IdempotencyKey)
USING INDEX SEEK k:IdempotencyKey(created_at)
WHERE k.created_at <= $cutoff
WITH k
LIMIT $limit
DELETE k
RETURN count(*) AS purged
