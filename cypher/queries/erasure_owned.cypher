// Returns which of some keys are nodes private to a user, deleted or not.
// mode: read
// params: team_id, user_id, entity_keys
// returns: owned
CALL () {
  UNWIND $entity_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.user_id = $user_id
  RETURN key
  UNION
  UNWIND $entity_keys AS key
  MATCH (n:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Deleted(team_id, entity_key)
  WHERE n.user_id = $user_id
  RETURN key
}
RETURN collect(key) AS owned
LIMIT 1
