// Changes the given properties of entities of systems. A new text that waits for its vector gets a new time of waiting.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
WITH n, row, CASE WHEN row.embed_due = n.embed_due THEN n.embed_due + 1 ELSE coalesce(row.embed_due, n.embed_due) END AS embed_due
SET n += row.properties, n.embed_due = embed_due
RETURN count(n) AS updated
