// Reads the number of the last commit of a team, the number before its first, and that of the last one that retention removed.
// mode: read
// params: team_id
// returns: seq, begun, pruned
MATCH (f:Feed {team_id: $team_id})
RETURN f.seq AS seq,
  coalesce(f.begun, 0) AS begun,
  coalesce(f.pruned, 0) AS pruned
LIMIT 1
