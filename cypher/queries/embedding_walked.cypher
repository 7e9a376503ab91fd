// Stores the progress of the walk over all nodes, unless the walk was restarted meanwhile.
// mode: write
// scope: server
// params: model, base, from_team, from_key, team, key, walked
// returns: kept
MATCH (e:KithSchema {name: 'embedding', model: $model})
SET e.name = 'embedding'
WITH e
WHERE e.model = $model
  AND e.base = $base
  AND coalesce(e.team, '') = $from_team
  AND coalesce(e.key, '') = $from_key
SET e.team = $team, e.key = $key, e.walked = $walked
RETURN count(e) AS kept
