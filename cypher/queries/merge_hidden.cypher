// Returns for each row the relationships of its type that a node has with a deleted node. A merge of nodes looks for repeated ones.
// mode: read
// params: team_id, entity_key, rows
// returns: position, properties
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
UNWIND $rows AS row
MATCH (d:Deleted {team_id: $team_id, entity_key: row.other})
USING INDEX SEEK d:Deleted(team_id, entity_key)
MATCH (n)-[r {team_id: $team_id}]-(d)
WHERE (startNode(r) = n) = row.leads
  AND CASE type(r) WHEN 'system_relationship' THEN r.relationship_type ELSE coalesce(r.type_word, type(r)) END = row.type
RETURN row.position AS position,
  [name IN ['qualifier', 'valid_from', 'valid_to'] | [name, r[name]]] AS properties
LIMIT 100000
