// Lists every relationship type known to the server.
// mode: read
// scope: server
// params:
// returns: types
CALL db.relationshipTypes() YIELD relationshipType
RETURN collect(relationshipType) AS types
LIMIT 1
