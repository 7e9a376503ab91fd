// Removes the next commits before $cutoff from the feeds of changes. Each feed remembers how far.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (c:Commit)
USING INDEX SEEK c:Commit(at)
WHERE c.at <= $cutoff.epochMillis
WITH c
SKIP $skip
LIMIT $limit
WITH c.team_id AS team, max(c.seq) AS last, collect(c) AS old
MATCH (f:Feed {team_id: team})
SET f.pruned = CASE WHEN coalesce(f.pruned, 0) < last THEN last ELSE f.pruned END
FOREACH (c IN old | DELETE c)
RETURN sum(size(old)) AS purged
