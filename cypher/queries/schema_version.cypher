// Returns the schema version of the database; no row in a new one.
// mode: read
// scope: server
// params:
// returns: version
MATCH (s:KithSchema {name: 'kith'})
RETURN s.version AS version
LIMIT 1
