// Creates copies of relationships between nodes given by their ids in this store, and returns their ids.
// mode: write
// scope: server
// params: rows
// returns: ids
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
MATCH (a)
WHERE id(a) = row.start
WITH position, row, a
MATCH (b)
WHERE id(b) = row.end
CREATE (a)-[x:$(row.type)]->(b)
SET x = row.properties
WITH position, id(x) AS id
ORDER BY position
RETURN collect(id) AS ids
