// Removes the next digests of answers that were served before $cutoff.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (e:ServedEvent)
USING INDEX SEEK e:ServedEvent(at)
WHERE e.at <= $cutoff
WITH e
SKIP $skip
LIMIT $limit
DELETE e
RETURN count(*) AS purged
