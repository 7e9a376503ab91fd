// Returns the names of all online indexes, including those of constraints.
// mode: read
// scope: server
// params:
// returns: names
SHOW INDEXES YIELD name, state
WHERE state = 'ONLINE'
RETURN collect(name) AS names
LIMIT 1
