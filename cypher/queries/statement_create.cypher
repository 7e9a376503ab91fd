// Creates statements, each with its key and the given properties, and returns the keys of those that did not exist. An existing one stays
// unchanged.
// mode: write
// params: team_id, rows
// returns: key
UNWIND $rows AS row
OPTIONAL MATCH (o:Statement {team_id: $team_id, key: row.key})
WITH row, count(o) = 0 AS fresh
WHERE fresh
MERGE (x:Statement {team_id: $team_id, key: row.key})
SET x += row.properties
RETURN x.key AS key
