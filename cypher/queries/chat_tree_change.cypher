// Changes a chat tree that the caller may see; null removes a property.
// mode: write
// params: team_id, owners, id, properties, now
// returns: id
MATCH (n:ChatTree {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTree(team_id, id)
WHERE n.user_id IN $owners
SET n += $properties,
  n.updated_at = $now
RETURN n.id AS id
