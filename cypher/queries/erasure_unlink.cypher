// Removes some relationships of nodes that are private to a user (of everybody when $user_id is null), and of those
// that are private to the user between other nodes. Decrements the mention counts of nodes that the user's sources
// mentioned.
// mode: write
// params: team_id, user_id, entity_keys, limit
// returns: removed, relationships
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r]-()
WHERE $user_id IS NULL
  OR n.user_id = $user_id
  OR r.user_id = $user_id
WITH DISTINCT r
LIMIT $limit
WITH r, endNode(r) AS m, r.key IS NOT NULL AS keyed,
  type(r) = 'mentions' AND startNode(r):Source AND endNode(r):Memory AS counted
FOREACH (x IN CASE WHEN counted THEN [m] ELSE [] END | SET x.source_count = x.source_count - 1)
DELETE r
RETURN count(*) AS removed,
  sum(CASE WHEN keyed THEN 1 ELSE 0 END) AS relationships
