// Makes a node one of a kind, and of no other.
// mode: write
// params: team_id, entity_key, label, others
// returns: repaired
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
SET n:$($label)
REMOVE n:$($others)
RETURN count(n) AS repaired
