// Removes the records of the next deleted relationships of a team.
// mode: write
// params: team_id, limit
// returns: purged
MATCH (d:DeletedRelationship {team_id: $team_id})
USING INDEX SEEK d:DeletedRelationship(team_id)
WITH d
LIMIT $limit
DELETE d
RETURN count(*) AS purged
