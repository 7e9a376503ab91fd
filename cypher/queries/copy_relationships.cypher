// The relationships whose ids in the store are in a range, with all that they have.
// mode: read
// scope: server
// params: from, to, limit
// returns: id, type, start, end, properties
MATCH (a)-[x]->(b)
WHERE id(x) IN range($from, $to)
RETURN id(x) AS id,
  type(x) AS type,
  id(a) AS start,
  id(b) AS end,
  properties(x) AS properties
LIMIT $limit
