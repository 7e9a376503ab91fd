// By which model the vectors of the database are: those numbered above base. Until it is walked, the nodes after a team
// and key may lack one. No row where nothing was ever embedded.
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
