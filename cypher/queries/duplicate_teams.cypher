// Returns teams with nodes that were not looked at for duplicates yet, or not since their last change, by id.
// mode: read
// scope: server
// params: after, limit
// returns: team
MATCH (f:Feed)
USING INDEX SEEK f:Feed(team_id)
WHERE f.team_id > $after
OPTIONAL MATCH (l:DuplicateLook {team_id: f.team_id})
WITH f, l
WHERE l IS NULL OR l.first IS NOT NULL OR l.next_seq <= f.seq
WITH f
ORDER BY f.team_id
LIMIT $limit
RETURN f.team_id AS team
