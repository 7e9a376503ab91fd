// Every label that the server has a name for.
// mode: read
// scope: server
// params:
// returns: labels
CALL db.labels() YIELD label
RETURN collect(label) AS labels
LIMIT 1
