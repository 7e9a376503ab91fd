// Sets properties of a node that stands for the transaction log: large ones fill it.
// mode: write
// scope: server
// params: properties
// returns: name
MERGE (l:Lease {name: 'transaction log'})
SET l += $properties
RETURN l.name AS name
