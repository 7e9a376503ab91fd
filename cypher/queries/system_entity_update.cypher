// Changes the given properties of entities of systems.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
SET n += row.properties
RETURN count(n) AS updated
