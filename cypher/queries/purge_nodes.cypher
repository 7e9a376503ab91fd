// Removes the next nodes deleted before $cutoff for good.
// mode: write
// scope: server
// params: cutoff, limit
// returns: purged
MATCH (n:Deleted)
USING INDEX SEEK n:Deleted(deleted_at)
WHERE n.deleted_at <= $cutoff
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS purged
