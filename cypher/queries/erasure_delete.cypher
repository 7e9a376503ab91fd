// Removes those of the given nodes that are private to a user, or all of them when $user_id is null.
// mode: write
// params: team_id, user_id, entity_keys
// returns: nodes, messages
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE $user_id IS NULL
  OR n.user_id = $user_id
WITH n, CASE WHEN n:Message THEN 1 ELSE 0 END AS message
DETACH DELETE n
RETURN count(*) AS nodes,
  sum(message) AS messages
