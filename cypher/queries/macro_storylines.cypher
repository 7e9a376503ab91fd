// Returns the macros with given keys, and those that group any of the storylines, with all their storylines and the
// name of their anchor. Locks them, so that two writers of one macro are serialized.
// mode: write
// params: team_id, entity_keys, storylines
// returns: properties, grouped, anchor_name
CALL () {
  UNWIND $entity_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
  UNION
  UNWIND $storylines AS key
  MATCH (t:Memory {team_id: $team_id, entity_key: key})<-[:groups {team_id: $team_id}]-(n:Macro)
  USING INDEX SEEK t:Memory(team_id, entity_key)
  RETURN n
}
WITH n
ORDER BY n.entity_key
SET n.team_id = $team_id
WITH n
CALL (n) {
  MATCH (n)-[:groups {team_id: $team_id}]->(t:Storyline)
  RETURN collect([t.entity_key, t.source_count, t.first_source_at, t.last_source_at]) AS grouped
}
CALL (n) {
  MATCH (n)-[:rooted_in {team_id: $team_id}]->(a:Memory)
  RETURN collect(a.name)[0] AS anchor_name
}
RETURN [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties,
  grouped,
  anchor_name
LIMIT 1000
