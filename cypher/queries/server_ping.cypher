// Checks that the database answers.
// mode: read
// scope: server
// params:
// returns: ok
RETURN 1 AS ok
LIMIT 1
