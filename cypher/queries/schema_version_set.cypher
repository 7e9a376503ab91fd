// Stores the schema version of the database; it never decreases.
// mode: write
// scope: server
// params: version, now
// returns: version
MERGE (s:KithSchema {name: 'kith'})
SET s.version = CASE WHEN s.version > $version THEN s.version ELSE $version END, s.applied_at = $now
RETURN s.version AS version
