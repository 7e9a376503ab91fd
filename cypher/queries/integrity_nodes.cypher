// Returns a page of a team's nodes by key, with their labels and the properties $names in that order.
// mode: read
// params: team_id, after, names, limit
// returns: entity_key, labels, found
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
RETURN n.entity_key AS entity_key,
  labels(n) AS labels,
  [name IN $names | n[name]] AS found
LIMIT 100000
