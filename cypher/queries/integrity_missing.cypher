// Returns which of some keys match no node of the team, deleted or not.
// mode: read
// params: team_id, entity_keys
// returns: missing
UNWIND $entity_keys AS key
OPTIONAL MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
OPTIONAL MATCH (s:Deleted {team_id: $team_id, entity_key: key})
USING INDEX SEEK s:Deleted(team_id, entity_key)
WITH key, n, s
WHERE n IS NULL
  AND s IS NULL
RETURN collect(DISTINCT key) AS missing
LIMIT 1
