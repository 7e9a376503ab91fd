// Records that nodes may be written without waiting for a vector: an instance writes without an embedder.
// mode: write
// scope: server
// params:
// returns: paused
MATCH (e:KithSchema {name: 'embedding'})
SET e.walked = false, e.team = null, e.key = null
RETURN count(e) AS paused
