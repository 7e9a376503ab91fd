// Lets the feed of a team count its last commit. A feed that was lost begins with the oldest commit that is kept.
// mode: write
// params: team_id, last
// returns: seq
MATCH (c:Commit {team_id: $team_id})
USING INDEX SEEK c:Commit(team_id, seq)
WHERE c.seq IS NOT NULL
WITH c
ORDER BY c.team_id, c.seq
LIMIT 1
MERGE (f:Feed {team_id: $team_id})
ON CREATE SET f.pruned = c.seq - 1
SET f.seq = CASE WHEN coalesce(f.seq, 0) < $last THEN $last ELSE f.seq END
RETURN f.seq AS seq
