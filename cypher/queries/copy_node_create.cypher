// Creates copies of nodes, and returns their ids in this store, in the order of the rows.
// mode: write
// scope: server
// params: rows
// returns: ids
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
CREATE (x:$(row.labels))
SET x = row.properties
WITH position, id(x) AS id
ORDER BY position
RETURN collect(id) AS ids
