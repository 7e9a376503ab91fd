// Returns the next nodes of a team by key, with all their properties: either its messages, or all others.
// mode: read
// params: team_id, after, messages, limit
// returns: labels, properties
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
  AND (n:Message) = $messages
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties
LIMIT 100000
