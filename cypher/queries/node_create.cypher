// Creates nodes, each with the label of its kind and the given properties. An existing key is refused by its
// constraint.
// mode: write
// params: team_id, rows
// returns: created
UNWIND $rows AS row
CREATE (n:Memory:$(row.label) {team_id: $team_id, entity_key: row.entity_key})
SET n += row.properties
RETURN count(n) AS created
