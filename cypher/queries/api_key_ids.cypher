// Returns the ids of API keys that are not revoked.
// mode: read
// scope: server
// params: limit
// returns: ids
MATCH (k:ApiKey)
WHERE k.revoked_at IS NULL
WITH k
LIMIT $limit
RETURN collect(k.key_id) AS ids
