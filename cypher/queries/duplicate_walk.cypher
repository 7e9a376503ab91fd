// Returns the keys of the persons, concepts and entities among the next nodes of a team, and the key of the last of these nodes.
// mode: read
// params: team_id, after, limit
// returns: seen, last, keys
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
RETURN count(n) AS seen,
  coalesce(max(n.entity_key), '') AS last,
  collect(CASE WHEN n:Person OR n:Concept OR n:Entity THEN n.entity_key END) AS keys
LIMIT 1
