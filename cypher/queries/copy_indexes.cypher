// Returns the statements that create the indexes, in order of creation, without those of constraints and those that
// every store has.
// mode: read
// scope: server
// params:
// returns: statements
SHOW INDEXES YIELD id, type, owningConstraint, createStatement
ORDER BY id
WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
RETURN collect(createStatement) AS statements
LIMIT 1
