// Returns every preference of the user, by key. The value is JSON text.
// mode: read
// plan: kept
// params: team_id, user_id
// returns: preferences
MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
USING INDEX SEEK p:Preference(team_id, user_id, key)
WHERE p.key IS NOT NULL
WITH p
ORDER BY p.team_id, p.user_id, p.key
LIMIT 200
RETURN collect([p.key, p.value]) AS preferences
