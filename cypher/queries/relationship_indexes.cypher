// The indexes by which relationships are found by their key, one a type, in the order in which they were made.
// mode: read
// scope: server
// params:
// returns: names
SHOW RANGE INDEXES YIELD id, name, state
ORDER BY id
WHERE name STARTS WITH 'relationship_key_' AND state = 'ONLINE'
RETURN collect(name) AS names
LIMIT 1
