// Returns the relationships from one node to the next nodes of its team, in the order of export_relationships. It reads
// the nodes at the other ends by their keys, so that a page does not read all relationships of a node that has many. A
// node that the hub has no relationship with is one row without a type.
// mode: read
// params: team_id, from, to, type, key, limit, row_limit
// returns: from, type, to, properties
MATCH (n:Memory {team_id: $team_id, entity_key: $from})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (m:Memory {team_id: $team_id})
USING INDEX SEEK m:Memory(team_id, entity_key)
WHERE m.entity_key >= $to
WITH n, m
ORDER BY m.team_id, m.entity_key
LIMIT $limit
OPTIONAL MATCH (n)-[r {team_id: $team_id}]->(m)
WHERE type(r) <> 'has_message'
WITH n.entity_key AS from, coalesce(r.type_word, type(r)) AS type, m.entity_key AS to, r
WHERE to > $to
  OR type > $type
  OR type = $type AND r.key > $key
WITH from, type, to, r
ORDER BY to, type, r.key
LIMIT $row_limit
RETURN from,
  type,
  to,
  CASE WHEN r IS NOT NULL THEN [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] END AS properties
