// Stores vectors, numbered in the order of commits: the row of the model is locked until then. Skips a node whose text
// has changed since it was read, and stores nothing when the database has vectors of another model or length. A row
// without a vector removes the node's vector and stores the number of that change.
// mode: write
// scope: server
// params: model, dimensions, rows
// returns: fits, saved
MATCH (e:KithSchema {name: 'embedding'})
SET e.name = 'embedding'
WITH e, e.model = $model AND coalesce(e.dimensions = $dimensions, true) AS fits
CALL (e, fits) {
  WITH e, fits
  WHERE fits
  UNWIND range(0, size($rows) - 1) AS position
  WITH e.seq + position + 1 AS seq, $rows[position] AS row
  MATCH (n:Memory {team_id: row.team_id, entity_key: row.entity_key})
  REMOVE n:Former
  WITH n, row, seq
  WHERE n:Memory AND n.embed_due = row.embed_due
  WITH n, row, seq, row.vector IS NOT NULL OR n.vector_seq IS NOT NULL AS told
  SET n.vector = row.vector,
    n.vector_scope = CASE WHEN told THEN row.vector_scope END,
    n.vector_seq = CASE WHEN told THEN seq END,
    n.embed_due = null
  RETURN count(n) AS saved
}
SET e.seq = CASE WHEN fits THEN e.seq + size($rows) ELSE e.seq END,
  e.dimensions = CASE WHEN fits THEN coalesce(e.dimensions, $dimensions) ELSE e.dimensions END
RETURN fits,
  saved
