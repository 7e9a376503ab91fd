// Returns nodes of other kinds by their keys, with all their properties.
// mode: read
// plan: kept
// params: team_id, user_id, node_keys
// returns: nodes
UNWIND $node_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE (n.user_id IS NULL OR n.user_id = $user_id)
  AND NOT n:Message
  AND NOT n:Source
RETURN collect([labels(n), [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]]]) AS nodes
LIMIT 1
