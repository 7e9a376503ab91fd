// Admin keys of a team that are not revoked and act for every user, oldest first.
// mode: read
// scope: server
// params: team_id, limit
// returns: keys
MATCH (k:ApiKey {team_id: $team_id})
WHERE k.revoked_at IS NULL
  AND k.user_id IS NULL
  AND 'admin' IN k.scopes
WITH k
ORDER BY k.created_at, k.key_id
LIMIT $limit
RETURN collect([k.key_id, k.hash, k.team_id, k.user_id, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.rate_limit, k.last_used_at, k.bootstrap, k.origin, k.trust]) AS keys
