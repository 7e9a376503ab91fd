// Removes the record of a restored relationship.
// mode: write
// params: team_id, key
// returns: forgotten
MATCH (d:DeletedRelationship {team_id: $team_id, key: $key})
DELETE d
RETURN count(*) AS forgotten
