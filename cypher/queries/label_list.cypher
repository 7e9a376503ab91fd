// Lists every label known to the server.
// mode: read
// scope: server
// params:
// returns: labels
CALL db.labels() YIELD label
RETURN collect(label) AS labels
LIMIT 1
