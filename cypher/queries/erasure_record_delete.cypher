// Removes some nodes outside the memory that are private to a user (of everybody when $user_id is null). Written for
// one label; the store runs it for each (cypher.ForLabel).
// mode: write
// params: team_id, user_id, limit
// returns: nodes, messages
MATCH (n:Deleted {team_id: $team_id})
WHERE $user_id IS NULL
  OR n.user_id = $user_id
WITH n
LIMIT $limit
WITH n, CASE WHEN n.deleted_kind = 'message' THEN 1 ELSE 0 END AS message
DETACH DELETE n
RETURN count(*) AS nodes,
  sum(message) AS messages
