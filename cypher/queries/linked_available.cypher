// Returns a project's nodes of some kinds, the first 100 of each by key, and whether a node is linked to each.
// mode: read
// params: team_id, user_id, project_id, entity_key, labels, now
// returns: kind, available
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.user_id IS NULL
  OR n.user_id = $user_id
CALL (n) {
  MATCH (n)-[r]-(m)
  WHERE r.user_id IS NULL
    OR r.user_id = $user_id
  WITH r, m
  LIMIT 10000
  WHERE coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  RETURN collect(m.entity_key) AS linked
}
UNWIND $labels AS kind
CALL (n, kind) {
  MATCH (o:Memory {team_id: $team_id, project_id: $project_id})
  USING INDEX SEEK o:Memory(team_id, project_id, entity_key)
  WHERE o.entity_key IS NOT NULL
    AND kind IN labels(o)
    AND o <> n
    AND (o.user_id IS NULL OR o.user_id = $user_id)
    AND o.workspace_counted IS NOT NULL
  WITH o
  ORDER BY o.team_id, o.project_id, o.entity_key
  LIMIT 100
  RETURN collect([o.entity_key, o.name, o.state_key]) AS found
}
RETURN kind, [x IN found | x + [x[0] IN linked]] AS available
LIMIT 100
