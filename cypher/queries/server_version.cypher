// Returns the version of Neo4j.
// mode: read
// scope: server
// params:
// returns: versions
CALL dbms.components() YIELD name, versions
WITH name, versions
WHERE name = 'Neo4j Kernel'
RETURN versions
LIMIT 1
