// Keeps how far the holder of a lease has come, and the lease for longer.
// mode: write
// scope: server
// params: name, holder, until, team, key
// returns: held
MATCH (l:Lease {name: $name, holder: $holder})
SET l.until = $until, l.team = $team, l.key = $key
RETURN count(l) AS held
