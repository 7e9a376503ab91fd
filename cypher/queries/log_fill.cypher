// Sets large properties of a node to fill the transaction log.
// mode: write
// scope: server
// params: properties
// returns: name
MERGE (l:Lease {name: 'transaction log'})
SET l += $properties
RETURN l.name AS name
