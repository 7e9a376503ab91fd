// Stores when contexts were served, with digests of the answers.
// mode: write
// params: team_id, rows
// returns: stored
UNWIND $rows AS row
MERGE (e:ServedEvent {team_id: $team_id, user_id: row.user_id, at: row.at})
ON CREATE SET e.kind = row.kind,
  e.digest = row.digest
RETURN count(*) AS stored
