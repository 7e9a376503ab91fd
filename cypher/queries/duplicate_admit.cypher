// Forgets that somebody has said that the nodes of some pairs are two.
// mode: write
// params: team_id, pairs
// returns: forgotten
UNWIND $pairs AS pair
MATCH (d:DuplicateRefusal {team_id: $team_id, pair: pair})
USING INDEX SEEK d:DuplicateRefusal(team_id, pair)
DELETE d
RETURN count(*) AS forgotten
