// Returns the API key with an id, revoked or not. It decides which team a caller belongs to.
// mode: read
// scope: server
// params: key_id
// returns: key
MATCH (k:ApiKey {key_id: $key_id})
RETURN [k.key_id, k.hash, k.team_id, k.user_id, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.rate_limit, k.last_used_at, k.bootstrap, k.origin, k.trust] AS key
LIMIT 1
