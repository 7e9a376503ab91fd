// Removes the records of the next relationships deleted before $cutoff.
// mode: write
// scope: server
// params: cutoff, limit
// returns: purged
MATCH (d:DeletedRelationship)
USING INDEX SEEK d:DeletedRelationship(deleted_at)
WHERE d.deleted_at <= $cutoff
WITH d
LIMIT $limit
DELETE d
RETURN count(*) AS purged
