// Gives a node the natural key of its name, unless another node has it. Returns whether it did.
// mode: write
// params: team_id, entity_key, natural_key
// returns: renewed
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE NOT EXISTS {
  MATCH (o:Memory {team_id: $team_id, natural_key: $natural_key})
  USING INDEX SEEK o:Memory(team_id, natural_key)
}
SET n.natural_key = $natural_key
RETURN count(n) AS renewed
