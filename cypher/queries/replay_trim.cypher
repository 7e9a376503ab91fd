// Removes what users' contexts of a day were made from beyond the newest $most, the oldest first. The first of the day stays.
// mode: write
// params: team_id, rows, most
// returns: removed
UNWIND $rows AS row
CALL (row) {
  MATCH (b:ContextBody {team_id: $team_id, user_id: row.user_id, day: row.day})
  USING INDEX SEEK b:ContextBody(team_id, user_id, day, at)
  WHERE b.at IS NOT NULL
  WITH b
  ORDER BY b.team_id DESC, b.user_id DESC, b.day DESC, b.at DESC
  SKIP $most
  WITH collect(b)[..-1] AS old
  FOREACH (b IN old | DELETE b)
  RETURN size(old) AS removed
}
RETURN sum(removed) AS removed
