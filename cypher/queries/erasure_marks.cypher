// Returns the committed marks of erasures and the database's clock.
// mode: read
// scope: server
// params:
// returns: marks, floor, now
OPTIONAL MATCH (l:Lease {name: 'erasures'})
RETURN coalesce(l.marks, []) AS marks,
  coalesce(l.floor, 0) AS floor,
  timestamp() AS now
LIMIT 1
