// Stores from when until when an instance served what a sum identifies, for views of users.
// mode: write
// params: team_id, rows
// returns: stored
UNWIND $rows AS row
MERGE (s:ContextServed {team_id: $team_id, user_id: row.user_id, view: row.view, at: row.at})
ON CREATE SET s.sum = row.sum
SET s.until = row.until
RETURN count(*) AS stored
