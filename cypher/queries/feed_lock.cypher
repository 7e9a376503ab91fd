// Reads what feed_read does after all commits that are under way: it waits for their lock of the feed.
// mode: write
// params: team_id
// returns: seq, begun, pruned
MATCH (f:Feed {team_id: $team_id})
SET f.team_id = $team_id
WITH f
RETURN f.seq AS seq,
  coalesce(f.begun, 0) AS begun,
  coalesce(f.pruned, 0) AS pruned
