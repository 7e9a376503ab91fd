// Returns when the next relationship of a team begins or ends, and from when on that is not known; none if there is none.
// mode: read
// params: team_id, at
// returns: next, until
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
RETURN head([b IN coalesce(f.borders, []) WHERE b > $at]) AS next,
  f.borders_until AS until
LIMIT 1
