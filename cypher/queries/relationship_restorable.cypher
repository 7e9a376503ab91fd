// Locks the records of relationships deleted after $cutoff and returns them, except where another restore was faster.
// mode: write
// params: team_id, keys, cutoff
// returns: properties
UNWIND $keys AS key
MATCH (d:DeletedRelationship {team_id: $team_id, key: key})
WHERE d.deleted_at > $cutoff
SET d.team_id = $team_id
WITH d
WHERE d:DeletedRelationship
RETURN [name IN keys(d) | [name, d[name]]] AS properties
LIMIT 100000
