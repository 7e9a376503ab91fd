// Makes a node a hub: relationships that it gets from now on are marked. $types are those whose relationships are all marked, and in an
// index; null: none yet. A node of the same key that is none since stays as it is.
// mode: write
// params: team_id, entity_key, types
// returns: hubs
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE $types IS NULL OR n.hub_key IS NOT NULL
SET n.hub_key = n.entity_key, n.hub_types = $types
RETURN count(n) AS hubs
