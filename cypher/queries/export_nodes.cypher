// Returns the next nodes of a team by key, with all their properties: either its messages, or all others. merged: the keys of nodes that
// were merged into it, except those that other nodes have by now, and those beyond the most of an import.
// mode: read
// params: team_id, after, messages, limit
// returns: labels, properties, merged
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
  AND (n:Message) = $messages
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
CALL (n) {
  UNWIND coalesce(n.merged_keys, []) AS key
  OPTIONAL MATCH (o:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK o:Memory(team_id, entity_key)
  WITH key, o
  WHERE o IS NULL
  RETURN collect(key)[..1000] AS merged
}
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties,
  merged
LIMIT 100000
