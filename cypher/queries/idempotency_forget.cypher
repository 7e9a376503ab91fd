// Removes idempotency keys: their requests count as new.
// mode: write
// params: team_id, entity_keys
// returns: forgotten
UNWIND $entity_keys AS key
MATCH (k:IdempotencyKey {team_id: $team_id, key: key})
DETACH DELETE k
RETURN count(*) AS forgotten
