// Removes the records of the next relationships deleted before $cutoff, with their former versions.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (d:DeletedRelationship)
USING INDEX SEEK d:DeletedRelationship(deleted_at)
WHERE d.deleted_at <= $cutoff
WITH d
SKIP $skip
LIMIT $limit
CALL (d) {
  MATCH (f:Former {team_id: d.team_id, former_of: d.key, former_kind: 'relationship'})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= d.deleted_at.epochMillis
  DELETE f
}
DELETE d
RETURN count(*) AS purged
