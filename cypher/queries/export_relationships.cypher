// Returns the relationships from the next nodes of a team, by the keys of both ends, the type and their own key, after
// the last one read. A node without any is one row without a type.
// mode: read
// params: team_id, from, to, type, key, limit, row_limit
// returns: from, type, to, properties
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key >= $from
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
OPTIONAL MATCH (n)-[r {team_id: $team_id}]->(m:Memory {team_id: $team_id})
WHERE type(r) <> 'has_message'
WITH n.entity_key AS from, coalesce(r.type_word, type(r)) AS type, m.entity_key AS to, r
WHERE from > $from
  OR to > $to
  OR to = $to AND (type > $type OR type = $type AND r.key > $key)
WITH from, type, to, r
ORDER BY from, to, type, r.key
LIMIT $row_limit
RETURN from,
  type,
  to,
  CASE WHEN r IS NOT NULL THEN [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] END AS properties
