// Removes some relationships of nodes outside the memory that are private to a user (of everybody when $user_id is
// null). Written for one label; the store runs it for each (cypher.ForLabel).
// mode: write
// params: team_id, user_id, limit
// returns: removed, relationships
MATCH (n:Deleted {team_id: $team_id})
MATCH (n)-[r]-()
WHERE $user_id IS NULL
  OR n.user_id = $user_id
  OR r.user_id = $user_id
WITH DISTINCT r
LIMIT $limit
WITH r, r.key IS NOT NULL AS keyed
DELETE r
RETURN count(*) AS removed,
  sum(CASE WHEN keyed THEN 1 ELSE 0 END) AS relationships
