// How many of a team's records are older than they may get, by one of their times. Written for one label; the store asks
// for each (cypher.ForLabel).
// mode: read
// params: team_id, field, before
// returns: expired
MATCH (n:Deleted {team_id: $team_id})
WHERE n[$field] < $before
RETURN count(n) AS expired
LIMIT 1
