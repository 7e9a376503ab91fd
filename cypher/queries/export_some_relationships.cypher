// Returns those of some relationships of a team that still lead between two nodes, as export_relationships does.
// mode: read
// params: team_id, rows
// returns: from, type, to, properties
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.from})-[r {team_id: $team_id, key: row.key}]->(m:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK n:Memory(team_id, entity_key)
USING INDEX SEEK m:Memory(team_id, entity_key)
WHERE type(r) <> 'has_message'
RETURN row.from AS from,
  coalesce(r.type_word, type(r)) AS type,
  row.to AS to,
  [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] AS properties
LIMIT 100000
