// The names of all indexes that answer, those of constraints too.
// mode: read
// scope: server
// params:
// returns: names
SHOW INDEXES YIELD name, state
WHERE state = 'ONLINE'
RETURN collect(name) AS names
LIMIT 1
