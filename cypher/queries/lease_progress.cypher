// Stores the progress of a lease's holder, and extends the lease.
// mode: write
// scope: server
// params: name, holder, until, team, key
// returns: held
MATCH (l:Lease {name: $name})
SET l.name = $name
WITH l
WHERE l.holder = $holder
SET l.until = $until, l.team = $team, l.key = $key
RETURN count(l) AS held
