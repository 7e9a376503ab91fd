// Removes the records of the next deleted relationships of a team, with their former versions. One that is restored at the same moment
// stays.
// mode: write
// params: team_id, skip, limit
// returns: purged
MATCH (d:DeletedRelationship {team_id: $team_id})
USING INDEX SEEK d:DeletedRelationship(team_id)
WITH d
SKIP $skip
LIMIT $limit
REMOVE d:Memory
WITH d
WHERE d:DeletedRelationship
CALL (d) {
  MATCH (f:Former {team_id: $team_id, former_of: d.key, former_kind: 'relationship'})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= d.deleted_at.epochMillis
  DELETE f
}
DELETE d
RETURN count(*) AS purged
