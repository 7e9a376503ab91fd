// Adds relationships, or changes the given properties of those with the same key; null removes one.
// mode: write
// params: team_id, rows
// returns: written
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})
MATCH (b:Memory {team_id: $team_id, entity_key: row.to})
MERGE (a)-[r:$(row.type) {team_id: $team_id, key: row.key}]->(b)
SET r += row.properties
RETURN count(r) AS written
