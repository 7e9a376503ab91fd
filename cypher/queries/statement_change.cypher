// Changes the given properties of a user's statements; null removes one.
// mode: write
// params: team_id, user_id, rows
// returns: changed
UNWIND $rows AS row
MATCH (x:Statement {team_id: $team_id, key: row.key})
WHERE x.user_id = $user_id
SET x += row.properties
RETURN count(x) AS changed
