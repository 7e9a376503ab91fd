// Returns the nodes with store ids in a range, with all their properties.
// mode: read
// scope: server
// params: from, to, limit
// returns: id, labels, properties
MATCH (x)
WHERE id(x) IN range($from, $to)
RETURN id(x) AS id,
  labels(x) AS labels,
  properties(x) AS properties
LIMIT $limit
