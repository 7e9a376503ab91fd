// Returns a page of the users of a team for whom the search for statements is paused, by user, from the given one on. An empty user is
// the whole team.
// mode: read
// params: team_id, from_user, limit
// returns: user_id
MATCH (p:StatementPause {team_id: $team_id})
USING INDEX SEEK p:StatementPause(team_id, user_id)
WHERE p.user_id >= $from_user
WITH p
ORDER BY p.team_id, p.user_id
LIMIT $limit
RETURN p.user_id AS user_id
