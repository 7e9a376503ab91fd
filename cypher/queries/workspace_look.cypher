// Returns what decides the places of some nodes in their workspaces, and their present places; $fields are the
// requested properties. Links are those to their project: outgoing, type, key. The caller has locked the nodes.
// mode: read
// params: team_id, keys, fields, now
// returns: labels, properties, links
UNWIND $keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.project_id IS NOT NULL
  OR n.workspace_counted IS NOT NULL
  OR n:Project
WITH n, n.project_id AS project
CALL (n, project) {
  MATCH (n)-[r]-(p)
  WHERE project IS NOT NULL
    AND p.entity_key = project
    AND p.team_id = $team_id
    AND 'Project' IN labels(p)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH r, p
  ORDER BY r.key
  LIMIT 8
  RETURN collect([CASE WHEN endNode(r) = p THEN 'out' ELSE 'in' END, coalesce(r.type_word, type(r)), r.key]) AS links
}
RETURN labels(n) AS labels,
  [field IN $fields | [field, n[field]]] AS properties,
  links
LIMIT 100000
