// Returns the model of the vectors numbered above base. Until the walk ends, nodes after a team and key may lack a
// vector. Returns no row when nothing was ever embedded.
// mode: read
// scope: server
// params:
// returns: model, base, walked, team, key
MATCH (e:KithSchema {name: 'embedding'})
RETURN e.model AS model,
  e.base AS base,
  e.walked AS walked,
  e.team AS team,
  e.key AS key
LIMIT 1
