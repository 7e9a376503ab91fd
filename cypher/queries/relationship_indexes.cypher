// Returns the key indexes of relationships, one for each type, in order of creation.
// mode: read
// scope: server
// params:
// returns: names
SHOW RANGE INDEXES YIELD id, name, state
ORDER BY id
WHERE name STARTS WITH 'relationship_key_' AND state = 'ONLINE'
RETURN collect(name) AS names
LIMIT 1
