// Repairs a relationship of a node: removes it, closes it, or sets missing properties.
// mode: write
// params: team_id, entity_key, id, repair, now
// returns: repaired
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})-[r]-(m)
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE elementId(r) = $id
FOREACH (x IN CASE WHEN $repair = 'team' THEN [r] ELSE [] END | SET x.team_id = $team_id)
FOREACH (x IN CASE WHEN $repair = 'user' THEN [r] ELSE [] END | SET x.user_id = coalesce(n.user_id, m.user_id))
FOREACH (x IN CASE WHEN $repair = 'salience' THEN [r] ELSE [] END | SET x.salience = CASE WHEN x.salience < 0 OR isNaN(x.salience) THEN 0.0 ELSE 1.0 END)
FOREACH (x IN CASE WHEN $repair = 'unrank' THEN [r] ELSE [] END | SET x.owner_key = null, x.node_salience = null,
  x.node_key = CASE WHEN type(x) = 'mentions' THEN x.node_key END)
FOREACH (x IN CASE WHEN $repair = 'close' AND r.valid_to IS NULL THEN [r] ELSE [] END | SET x.valid_to = $now, x.updated_at = $now, x.version = coalesce(x.version, 1) + 1,
  x.owner_key = null, x.node_salience = null, x.node_key = null)
FOREACH (x IN CASE WHEN $repair = 'key' THEN [r] ELSE [] END | SET x.key = randomUUID())
FOREACH (x IN CASE WHEN $repair = 'delete' THEN [r] ELSE [] END | DELETE x)
RETURN count(*) AS repaired
