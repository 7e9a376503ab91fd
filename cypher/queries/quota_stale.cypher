// Makes the next write that adds to a team recount it.
// mode: write
// params: team_id
// returns: teams
MATCH (q:Quota {team_id: $team_id})
SET q.fresh_until = 0
RETURN count(q) AS teams
