// Locks the record of a relationship deleted after $cutoff and returns it, unless another restore was faster.
// mode: write
// params: team_id, key, cutoff
// returns: properties
MATCH (d:DeletedRelationship {team_id: $team_id, key: $key})
WHERE d.deleted_at > $cutoff
SET d.team_id = $team_id
WITH d
WHERE d:DeletedRelationship
RETURN [name IN keys(d) | [name, d[name]]] AS properties
