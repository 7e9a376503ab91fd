// Returns the current relationships from some nodes to persons, concepts and entities that the caller may see.
// mode: read
// params: team_id, user_id, keys, now
// returns: from, type, to, properties
UNWIND $keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.user_id IS NULL OR n.user_id = $user_id
MATCH (n)-[r {team_id: $team_id}]->(m:Memory {team_id: $team_id})
WHERE (m:Person OR m:Concept OR m:Entity)
  AND (m.user_id IS NULL OR m.user_id = $user_id)
  AND coalesce(r.valid_to > $now, true)
  AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
RETURN n.entity_key AS from, coalesce(r.type_word, type(r)) AS type, m.entity_key AS to,
  [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] AS properties
LIMIT 20001
