// Returns nodes with some keys in full, where the caller may see them.
// The version is read before the rest: a change at that moment then belongs to a later version, and is not overwritten with if_version.
// mode: read
// params: team_id, user_id, keys
// returns: labels, properties
UNWIND $keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
WITH n, coalesce(n.version, 1) AS version
RETURN labels(n) AS labels,
  [['version', version]] + [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope', 'version'] | [name, n[name]]] AS properties
LIMIT 1000
