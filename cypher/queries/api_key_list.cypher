// Lists API keys, newest first: of one team, or of every team when $team_id is null.
// mode: read
// scope: server
// params: team_id, limit
// returns: keys
MATCH (k:ApiKey)
WHERE $team_id IS NULL OR k.team_id = $team_id
WITH k
ORDER BY k.created_at DESC, k.key_id
LIMIT $limit
RETURN collect([k.key_id, k.hash, k.team_id, k.user_id, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.rate_limit, k.last_used_at, k.bootstrap, k.origin, k.trust]) AS keys
