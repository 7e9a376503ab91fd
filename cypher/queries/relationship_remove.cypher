// Removes relationships for good.
// mode: write
// params: team_id, rows
// returns: removed
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})-[r {team_id: $team_id, key: row.key}]->(b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK a:Memory(team_id, entity_key)
USING INDEX SEEK b:Memory(team_id, entity_key)
DELETE r
RETURN count(*) AS removed
