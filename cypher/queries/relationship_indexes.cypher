// The indexes by which relationships are found by their key, one a type.
// mode: read
// scope: server
// params:
// returns: names
SHOW RANGE INDEXES YIELD name, state
WHERE name STARTS WITH 'relationship_key_' AND state = 'ONLINE'
RETURN collect(name) AS names
LIMIT 1
