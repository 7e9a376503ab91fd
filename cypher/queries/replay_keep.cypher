// Stores what contexts were made from, each once for a user, and when it was last served.
// mode: write
// params: team_id, rows
// returns: stored
UNWIND $rows AS row
MERGE (b:ContextBody {team_id: $team_id, user_id: row.user_id, sum: row.sum})
ON CREATE SET b.encoded = row.encoded,
  b.size = row.size,
  b.day = row.day,
  b.at = row.at
SET b.last = row.at
RETURN count(*) AS stored
