// Adds messages with the numbers that they had; their sources know them already.
// mode: write
// params: team_id, rows
// returns: restored
UNWIND $rows AS row
MATCH (s:Memory {team_id: $team_id, entity_key: row.source_key})
CREATE (m:Memory:Message {team_id: $team_id, entity_key: row.entity_key})
SET m += row.properties
CREATE (s)-[:has_message {team_id: $team_id}]->(m)
RETURN count(m) AS restored
