// Postpones the vectors of nodes, except of those whose text has changed since it was read.
// mode: write
// scope: server
// params: rows, until_ms
// returns: postponed
UNWIND $rows AS row
MATCH (n:Memory {team_id: row.team_id, entity_key: row.entity_key})
REMOVE n:Former
WITH n, row
WHERE n:Memory AND n.embed_due = row.embed_due
SET n.embed_due = $until_ms
RETURN count(n) AS postponed
