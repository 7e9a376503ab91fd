// Nodes that have taken the places of others by a merge, or of generated owners, by the keys of these, as far as the caller may see them.
// mode: read
// params: team_id, user_id, keys
// returns: former, entity_key
UNWIND $keys AS key
CALL (key) {
  MATCH (n:Person {team_id: $team_id, former_key: key})
  USING INDEX SEEK n:Person(team_id, former_key)
  RETURN n
  UNION
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into IS NOT NULL
  WITH d.merged_into AS other
  MATCH (n:Memory {team_id: $team_id, entity_key: other})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
}
WITH key, n
WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
RETURN key AS former, n.entity_key AS entity_key
LIMIT 1000
