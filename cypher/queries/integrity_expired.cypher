// Counts a team's records past their maximum age, by one of their times. Written for one label; the store runs it for
// each (cypher.ForLabel).
// mode: read
// params: team_id, field, before
// returns: expired
MATCH (n:Deleted {team_id: $team_id})
WHERE n[$field] < $before
RETURN count(n) AS expired
LIMIT 1
