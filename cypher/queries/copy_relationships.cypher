// The relationships whose ids in the store are in a range, with all that they have.
// mode: read
// scope: server
// params: from, to, limit
// returns: id, type, start, end, properties
UNWIND range($from, $to) AS id
MATCH (a)-[x]->(b)
WHERE id(x) = id
RETURN id,
  type(x) AS type,
  id(a) AS start,
  id(b) AS end,
  properties(x) AS properties
LIMIT $limit
