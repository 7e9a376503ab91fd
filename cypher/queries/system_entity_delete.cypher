// Deletes entities of systems with all their relationships.
// mode: write
// params: team_id, entity_keys
// returns: entities, relationships
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
WITH n, COUNT { (n)-[:system_relationship]-() } AS links
DETACH DELETE n
RETURN count(n) AS entities,
  sum(links) AS relationships
