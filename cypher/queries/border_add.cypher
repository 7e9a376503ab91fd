// Notes when relationships of a team begin or end in the future. It keeps the first $most of these moments, and from
// when on others may be missing.
// mode: write
// params: team_id, at, borders, most
// returns: noted
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
CALL (f) {
  UNWIND [b IN coalesce(f.borders, []) WHERE b > $at] + $borders AS b
  WITH DISTINCT b
  ORDER BY b
  RETURN collect(b) AS borders
}
SET f.borders = borders[..$most],
  f.borders_until = CASE WHEN f.borders_until <= borders[$most] OR borders[$most] IS NULL THEN f.borders_until ELSE borders[$most] END
RETURN size(borders) AS noted
