// Returns the marks of erasures and the database's clock, and locks the marks until the commit.
// mode: write
// scope: server
// params:
// returns: marks, floor, now
MERGE (l:Lease {name: 'erasures'})
SET l.name = 'erasures'
WITH l
RETURN coalesce(l.marks, []) AS marks,
  coalesce(l.floor, 0) AS floor,
  timestamp() AS now
