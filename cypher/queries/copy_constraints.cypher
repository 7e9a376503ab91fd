// Returns the statements that create the constraints.
// mode: read
// scope: server
// params:
// returns: statements
SHOW CONSTRAINTS YIELD name, createStatement
ORDER BY name
RETURN collect(createStatement) AS statements
LIMIT 1
