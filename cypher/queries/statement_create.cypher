// Creates statements, each with its key and the given properties. An existing one stays unchanged.
// mode: write
// params: team_id, rows
// returns: created
UNWIND $rows AS row
MERGE (x:Statement {team_id: $team_id, key: row.key})
ON CREATE SET x += row.properties
RETURN count(x) AS created
