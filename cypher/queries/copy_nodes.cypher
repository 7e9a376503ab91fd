// The nodes whose ids in the store are in a range, with all that they have.
// mode: read
// scope: server
// params: from, to, limit
// returns: id, labels, properties
UNWIND range($from, $to) AS id
MATCH (x)
WHERE id(x) = id
RETURN id,
  labels(x) AS labels,
  properties(x) AS properties
LIMIT $limit
