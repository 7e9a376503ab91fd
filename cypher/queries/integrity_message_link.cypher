// Links a message to the source that it names, and to no other.
// mode: write
// params: team_id, entity_key
// returns: repaired
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (s:Memory {team_id: $team_id, entity_key: n.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CALL (n) {
  MATCH (n)-[r:has_message]-()
  DELETE r
  RETURN count(r) AS wrong
}
CREATE (s)-[:has_message {team_id: $team_id}]->(n)
SET n.user_id = s.user_id,
  n.search_scope = split(s.search_scope, ' ')[0] + ' ' + split(n.search_scope, ' ')[-1]
RETURN count(n) AS repaired
