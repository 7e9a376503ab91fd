// Finds relationships from some nodes whose key another relationship of the team has: all but the oldest of each.
// Written for one type of the others, as relationship_keys is.
// mode: read
// params: team_id, entity_keys
// returns: entity_key, id, key, type
MATCH ()-[some:relates_to {team_id: $team_id}]->()
USING INDEX SEEK some:relates_to(team_id, key)
WHERE some.key >= ''
WITH some
LIMIT 1
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})-[r {team_id: $team_id}]->(:Memory)
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE r.key IS NOT NULL
WITH n, r, r.key AS shared
MATCH ()-[o:relates_to {team_id: $team_id, key: shared}]->()
USING INDEX SEEK o:relates_to(team_id, key)
WITH n, r, o, coalesce(r.recorded_at, datetime({epochMillis: 0})) AS recorded, coalesce(o.recorded_at, datetime({epochMillis: 0})) AS other
WHERE other < recorded
  OR other = recorded AND elementId(o) < elementId(r)
RETURN n.entity_key AS entity_key,
  elementId(r) AS id,
  r.key AS key,
  coalesce(r.type_word, type(r)) AS type
LIMIT 100000
