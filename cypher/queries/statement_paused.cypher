// Returns whether the search for statements is paused for a user or the whole team.
// mode: read
// params: team_id, user_id
// returns: paused
MATCH (p:StatementPause {team_id: $team_id})
USING INDEX SEEK p:StatementPause(team_id, user_id)
WHERE p.user_id IN ['', $user_id]
RETURN count(p) > 0 AS paused
LIMIT 1
