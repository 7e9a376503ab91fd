// Removes the next deleted nodes of a team for good.
// mode: write
// params: team_id, limit
// returns: purged
MATCH (n:Deleted {team_id: $team_id})
USING INDEX SEEK n:Deleted(team_id)
WITH n
LIMIT $limit
DETACH DELETE n
RETURN count(*) AS purged
