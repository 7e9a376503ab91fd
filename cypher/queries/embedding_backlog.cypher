// Counts the nodes that wait for a vector, up to $limit, and returns since when the first one waits.
// mode: read
// scope: server
// params: limit
// returns: due, oldest
MATCH (n:Memory)
USING INDEX SEEK n:Memory(embed_due)
WHERE n.embed_due >= 0
WITH n
ORDER BY n.embed_due
LIMIT $limit
RETURN count(n) AS due,
  min(n.embed_due) AS oldest
LIMIT 1
