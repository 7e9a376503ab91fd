// Lets the feed of a team count its last commit.
// mode: write
// params: team_id, last
// returns: seq
MERGE (f:Feed {team_id: $team_id})
SET f.seq = CASE WHEN coalesce(f.seq, 0) < $last THEN $last ELSE f.seq END
RETURN f.seq AS seq
