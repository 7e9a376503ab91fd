// Returns the types and ends of the team's relationships with some keys. Written for one type, as relationship_locate
// is. A type that the team does not use costs one lookup. Relationships of deleted nodes count: they are restored with
// them.
// mode: read
// params: team_id, keys
// returns: key, type, from, to
MATCH ()-[some:relates_to {team_id: $team_id}]->()
USING INDEX SEEK some:relates_to(team_id, key)
WHERE some.key >= ''
WITH some
LIMIT 1
UNWIND $keys AS key
MATCH (a)-[r:relates_to {team_id: $team_id, key: key}]->(b)
USING INDEX SEEK r:relates_to(team_id, key)
RETURN key,
  coalesce(r.type_word, type(r)) AS type,
  a.entity_key AS from,
  b.entity_key AS to
LIMIT 100000
