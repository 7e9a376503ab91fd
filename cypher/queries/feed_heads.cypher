// Reads the number of the last commit of each of some teams.
// mode: read
// scope: server
// params: teams, limit
// returns: team, seq
UNWIND $teams AS team
MATCH (f:Feed {team_id: team})
RETURN team,
  f.seq AS seq
LIMIT $limit
