// Returns how many relationships a node of a team has.
// mode: read
// params: team_id, entity_key
// returns: degree
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
RETURN COUNT { (n)-->() } AS degree
LIMIT 1
