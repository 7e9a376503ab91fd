// Returns the relationships with store ids in a range, with all their properties.
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
