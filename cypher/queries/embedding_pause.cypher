// Notes that nodes may be written that do not wait for a vector: somebody writes without an embedder.
// mode: write
// scope: server
// params:
// returns: paused
MATCH (e:KithSchema {name: 'embedding'})
SET e.walked = false, e.team = null, e.key = null
RETURN count(e) AS paused
