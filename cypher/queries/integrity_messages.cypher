// Returns which of some messages are not linked to the source they name, and whether that source exists.
// mode: read
// params: team_id, entity_keys
// returns: entity_key, sourced
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
OPTIONAL MATCH (s:Memory {team_id: $team_id, entity_key: n.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
WITH n, s, coalesce(s:Source, false) AS sourced, COUNT { ()-[:has_message]->(n) } AS links
WHERE NOT sourced
  OR links <> 1
  OR NOT EXISTS { (s)-[:has_message]->(n) }
  OR coalesce(s.user_id, '') <> coalesce(n.user_id, '')
RETURN n.entity_key AS entity_key,
  sourced
LIMIT 100000
