// Claims an idempotency key (with its user and kind of request) for a request, or returns the earlier request and its
// answer. A key older than $expired is free again. Two requests with one key are serialized.
// mode: write
// params: team_id, user_id, key, hash, now, expired
// returns: hash, answer
MERGE (k:IdempotencyKey {team_id: $team_id, key: $key})
ON CREATE SET k.hash = $hash, k.created_at = $now, k.user_id = $user_id
SET k.team_id = $team_id
WITH k, k.created_at < $expired AS old
SET k.hash = CASE WHEN old THEN $hash ELSE k.hash END,
  k.answer = CASE WHEN old THEN null ELSE k.answer END,
  k.created_at = CASE WHEN old THEN $now ELSE k.created_at END
RETURN k.hash AS hash,
  k.answer AS answer
