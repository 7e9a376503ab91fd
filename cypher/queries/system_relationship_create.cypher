// Creates relationships between entities of systems. The writer has checked that they do not exist, and holds the
// system's lock.
// mode: write
// params: team_id, rows
// returns: created
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from_key})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: $team_id, entity_key: row.to_key})
USING INDEX SEEK b:Memory(team_id, entity_key)
CREATE (a)-[r:system_relationship {team_id: $team_id, key: row.key}]->(b)
SET r += row.properties
RETURN count(r) AS created
