// Stores when a user or a team was last erased, under a name that reveals neither.
// mode: write
// scope: server
// params: key
// returns: erased_at
MERGE (l:Lease {name: $key})
SET l.erased_at = timestamp()
RETURN l.erased_at AS erased_at
