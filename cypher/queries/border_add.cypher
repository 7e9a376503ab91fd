// Notes when relationships of a team begin or end, and forgets moments up to $after. It keeps the first $most of these moments, and from
// when on others may be missing. $places are such moments with the ends of the relationship, as texts: those with a node
// of a project are noted too, because its place there changes then.
// mode: write
// params: team_id, after, borders, places, most
// returns: noted
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
CALL (f) {
  UNWIND [b IN coalesce(f.borders, []) WHERE b > $after] + $borders AS b
  WITH DISTINCT b
  ORDER BY b
  RETURN collect(b) AS borders
}
CALL () {
  UNWIND $places AS place
  MATCH (n:Memory {team_id: $team_id, entity_key: split(place, '\u001f')[1]})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.project_id IS NOT NULL
  RETURN collect(DISTINCT place) AS places
}
SET f.borders = borders[..$most],
  f.borders_until = CASE WHEN f.borders_until <= borders[$most] OR borders[$most] IS NULL THEN f.borders_until ELSE borders[$most] END,
  f.places = CASE WHEN places = [] THEN f.places ELSE [place IN coalesce(f.places, []) WHERE NOT place IN places] + places END
RETURN size(borders) AS noted
