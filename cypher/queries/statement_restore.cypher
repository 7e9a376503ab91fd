// Stores statements of an import with all their properties; null removes one.
// mode: write
// params: team_id, rows, now
// returns: stored
UNWIND $rows AS row
MERGE (x:Statement {team_id: $team_id, key: row.key})
ON CREATE SET x.created_at = $now
SET x += row.properties
SET x.updated_at = $now
RETURN count(x) AS stored
