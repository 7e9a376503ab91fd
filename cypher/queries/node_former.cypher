// Persons that have taken the places of generated ones, by the keys of these, as far as the caller may see them.
// mode: read
// params: team_id, user_id, keys
// returns: former, entity_key
UNWIND $keys AS key
MATCH (n:Person {team_id: $team_id, former_key: key})
USING INDEX SEEK n:Person(team_id, former_key)
WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
RETURN key AS former, n.entity_key AS entity_key
LIMIT 1000
