// Returns the relationships of a node that is to be merged into another one, without those of stories.
// mode: read
// params: team_id, entity_key, stay, limit
// returns: type, leads, other, deleted, properties
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r {team_id: $team_id}]-(x)
WHERE NOT type(r) IN $stay
RETURN type(r) AS type,
  startNode(r) = n AS leads,
  x.entity_key AS other,
  x:Deleted AS deleted,
  [name IN ['key', 'type_word', 'qualifier', 'valid_from', 'valid_to', 'user_id', 'relationship_type'] | [name, r[name]]] AS properties
LIMIT $limit
