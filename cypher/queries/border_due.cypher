// Returns the noted moments that have come at which the place of a node in its project changes, each with the key of the node.
// mode: read
// params: team_id, at
// returns: places
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
RETURN [place IN coalesce(f.places, []) WHERE toInteger(split(place, '\u001f')[0]) <= $at] AS places
LIMIT 1
