// Returns when the next relationship of the team begins or ends, and from when on that is not known: a context is cached until then.
// mode: read
// plan: kept
// params: team_id, present_ms
// returns: border
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
WITH f
LIMIT 1
RETURN collect([head([b IN coalesce(f.borders, []) WHERE b > $present_ms]), f.borders_until]) AS border
