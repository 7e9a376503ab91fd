// Reads the number of the last commit of a team, and of the last one that retention removed.
// mode: read
// params: team_id
// returns: seq, pruned
MATCH (f:Feed {team_id: $team_id})
RETURN f.seq AS seq,
  coalesce(f.pruned, 0) AS pruned
LIMIT 1
