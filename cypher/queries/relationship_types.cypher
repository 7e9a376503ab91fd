// Every relationship type that the server has a name for.
// mode: read
// scope: server
// params:
// returns: types
CALL db.relationshipTypes() YIELD relationshipType
RETURN collect(relationshipType) AS types
LIMIT 1
