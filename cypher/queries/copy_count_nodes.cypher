// Counts all nodes of the database.
// mode: read
// scope: server
// params:
// returns: nodes
MATCH (x)
RETURN count(x) AS nodes
LIMIT 1
