// Creates relationships. The writer has checked that they do not exist, and holds the locks of their ends.
// mode: write
// params: team_id, rows
// returns: created
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK b:Memory(team_id, entity_key)
CREATE (a)-[r:$(row.type) {team_id: $team_id, key: row.key}]->(b)
SET r += row.properties, r.hub_from = a.hub_key, r.hub_to = b.hub_key
RETURN count(r) AS created
