// The statements that make the indexes anew, in the order in which they were made. Those of constraints and those that every store has
// are not among them.
// mode: read
// scope: server
// params:
// returns: statements
SHOW INDEXES YIELD id, type, owningConstraint, createStatement
ORDER BY id
WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
RETURN collect(createStatement) AS statements
LIMIT 1
