// Makes all present vectors outdated, and sets the model of new ones. An unfinished change to that model continues.
// mode: write
// scope: server
// params: model, dimensions
// returns: resumed
MERGE (e:KithSchema {name: 'embedding'})
SET e.name = 'embedding'
WITH e, coalesce(e.renewing AND e.model = $model, false) AS resumed
SET e.base = CASE WHEN resumed THEN e.base ELSE coalesce(e.seq, 0) END,
  e.seq = coalesce(e.seq, 0),
  e.dimensions = CASE WHEN resumed THEN e.dimensions ELSE $dimensions END,
  e.walked = coalesce(resumed AND e.walked, false),
  e.team = CASE WHEN resumed THEN e.team END,
  e.key = CASE WHEN resumed THEN e.key END,
  e.model = $model,
  e.renewing = true
RETURN resumed
