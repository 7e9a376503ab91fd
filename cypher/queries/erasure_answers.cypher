// Returns a page of the answers stored for idempotency keys, by key.
// mode: read
// params: team_id, after, limit
// returns: key, answer
MATCH (k:IdempotencyKey {team_id: $team_id})
USING INDEX SEEK k:IdempotencyKey(team_id, key)
WHERE k.key > $after
WITH k
ORDER BY k.team_id, k.key
LIMIT $limit
RETURN k.key AS key,
  k.answer AS answer
LIMIT 100000
