// Creates entities of systems with the given properties.
// mode: write
// params: team_id, rows
// returns: created
UNWIND $rows AS row
CREATE (n:Memory:SystemEntity {team_id: $team_id, entity_key: row.entity_key})
SET n += row.properties
RETURN count(n) AS created
