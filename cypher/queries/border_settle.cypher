// Forgets moments at which the places of nodes changed, after they were renewed.
// mode: write
// params: team_id, places
// returns: left
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
SET f.places = CASE WHEN all(place IN f.places WHERE place IN $places) THEN null ELSE [place IN f.places WHERE NOT place IN $places] END
RETURN coalesce(size(f.places), 0) AS left
