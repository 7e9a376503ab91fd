// Returns the next vectors of one user, or of what a team shares, in the order of their numbers, and the model of all
// vectors numbered above base.
// mode: read
// scope: server
// params: vector_scope, after, limit
// returns: rows, model, base
MATCH (n:Memory {vector_scope: $vector_scope})
USING INDEX SEEK n:Memory(vector_scope, vector_seq)
WHERE n.vector_seq > $after
WITH n
ORDER BY n.vector_scope, n.vector_seq
LIMIT $limit
WITH collect([n.vector_seq, n.entity_key, labels(n), coalesce(n.at, n.started_at, n.created_at).epochMillis, n.vector, n.source_key]) AS rows
OPTIONAL MATCH (e:KithSchema {name: 'embedding'})
RETURN rows,
  e.model AS model,
  e.base AS base
LIMIT 1
