// Returns a page of the nodes of one kind, private to a user or shared, ordered by natural key.
// mode: read
// params: team_id, after, end, limit
// returns: natural_key, properties
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, natural_key)
WHERE n.natural_key > $after
  AND n.natural_key < $end
WITH n
ORDER BY n.team_id, n.natural_key
LIMIT $limit
RETURN n.natural_key AS natural_key,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties
LIMIT 100000
