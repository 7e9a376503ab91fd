// Sets the kind of a node and removes any other kind.
// mode: write
// params: team_id, entity_key, label, others
// returns: repaired
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
SET n:$($label)
REMOVE n:$($others)
RETURN count(n) AS repaired
