// Returns the nodes of a team with some keys, as export_nodes does, messages last.
// mode: read
// params: team_id, keys
// returns: labels, properties, merged
UNWIND $keys AS entity_key
MATCH (n:Memory {team_id: $team_id, entity_key: entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (n) {
  UNWIND coalesce(n.merged_keys, []) AS key
  OPTIONAL MATCH (o:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK o:Memory(team_id, entity_key)
  WITH key, o
  WHERE o IS NULL
  RETURN collect(key)[..1000] AS merged
}
WITH n, merged
ORDER BY n:Message, n.entity_key
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties,
  merged
LIMIT 100000
