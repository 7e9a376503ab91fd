// Returns the addresses of the members of a cluster that answer statements, as a driver of that address would use them.
// mode: read
// scope: server
// params: context, database
// returns: address
CALL dbms.routing.getRoutingTable($context, $database) YIELD servers
UNWIND servers AS server
WITH server
WHERE server.role IN ['READ', 'WRITE']
UNWIND server.addresses AS address
WITH DISTINCT address
RETURN address
LIMIT 100
