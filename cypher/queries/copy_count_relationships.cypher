// Counts all relationships of the database.
// mode: read
// scope: server
// params:
// returns: relationships
MATCH ()-[x]->()
RETURN count(x) AS relationships
LIMIT 1
