// Removes the former versions of a node that is neither stored nor deleted.
// mode: write
// params: team_id, key
// returns: purged
MATCH (f:Former {team_id: $team_id, former_of: $key})
USING INDEX SEEK f:Former(team_id, former_of, until)
WHERE f.until IS NOT NULL
DELETE f
RETURN count(*) AS purged
