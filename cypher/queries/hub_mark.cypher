// Marks the next relationships of a hub that have no mark or a wrong one, so that the indexes of hubs have them.
// mode: write
// params: team_id, entity_key, skip, limit
// returns: marked
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r:!has_message&!system_relationship {team_id: $team_id}]-()
WHERE coalesce(CASE WHEN startNode(r) = n THEN r.hub_from ELSE r.hub_to END <> n.entity_key, true)
WITH n, r
SKIP $skip
LIMIT $limit
SET r.hub_from = CASE WHEN startNode(r) = n THEN n.entity_key ELSE r.hub_from END,
  r.hub_to = CASE WHEN endNode(r) = n THEN n.entity_key ELSE r.hub_to END
RETURN count(r) AS marked
