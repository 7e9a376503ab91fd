// Revokes an API key of one team, or of any team when $team_id is null. A revoked key keeps its first time.
// mode: write
// scope: server
// params: team_id, key_id, now
// returns: key_id
MATCH (k:ApiKey {key_id: $key_id})
WHERE $team_id IS NULL OR k.team_id = $team_id
SET k.revoked_at = coalesce(k.revoked_at, $now)
RETURN k.key_id AS key_id
