// Returns the ids of all API keys that are not revoked, newest first.
// mode: read
// scope: server
// params: limit
// returns: ids
MATCH (k:ApiKey)
WHERE k.revoked_at IS NULL
WITH k
ORDER BY k.created_at DESC, k.key_id
LIMIT $limit
RETURN collect(k.key_id) AS ids
