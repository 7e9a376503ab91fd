// Whose memory the next nodes of a team and the relationships from them are, by key; and the last of the keys.
// mode: read
// params: team_id, after, limit
// returns: last, users
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]->()
  WHERE r.user_id IS NOT NULL
  RETURN collect(DISTINCT r.user_id) AS ends
}
UNWIND ends + coalesce(n.participants, []) + [coalesce(n.user_id, '')] AS user
RETURN max(n.entity_key) AS last,
  collect(DISTINCT user) AS users
LIMIT 1
