// Returns the number of a team's last commit if the feed of the team does not count it: the next write would use a number again.
// mode: read
// params: team_id
// returns: last
MATCH (c:Commit {team_id: $team_id})
USING INDEX SEEK c:Commit(team_id, seq)
WHERE c.seq IS NOT NULL
WITH c
ORDER BY c.team_id DESC, c.seq DESC
LIMIT 1
OPTIONAL MATCH (f:Feed {team_id: $team_id})
WITH c.seq AS last, coalesce(f.seq, 0) AS counted
WHERE counted < last
RETURN last
LIMIT 1
