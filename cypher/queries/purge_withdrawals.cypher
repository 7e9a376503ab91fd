// Deletes the next parts of what was withdrawn before $cutoff: what was deleted with them is purged, too.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (w:Withdrawal)
USING INDEX SEEK w:Withdrawal(at)
WHERE w.at < $cutoff
WITH w
SKIP $skip
LIMIT $limit
DELETE w
RETURN count(*) AS purged
