// Deletes some reviews.
// mode: write
// params: team_id, keys
// returns: deleted
UNWIND $keys AS key
MATCH (w:Review {team_id: $team_id, key: key})
USING INDEX SEEK w:Review(team_id, key)
DELETE w
RETURN count(*) AS deleted
