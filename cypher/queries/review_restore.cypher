// Stores reviews of an import. It changes none that is stored.
// mode: write
// params: team_id, rows
// returns: stored
UNWIND $rows AS row
MERGE (w:Review {team_id: $team_id, key: row.key})
ON CREATE SET w += row.properties
RETURN count(w) AS stored
