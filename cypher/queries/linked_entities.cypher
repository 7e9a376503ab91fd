// Returns the nodes linked to a node now, one step away: their number for each kind, and some of them, active ones
// first, then newest first. Each comes with its relationships as key, type, whether it is outgoing,
// and how far it is believed. Reads the first
// $walk relationships that the caller may see. context is the document that describes the node's project.
// mode: read
// params: team_id, user_id, entity_key, label, labels, skip, until, whole, walk, now
// returns: entity_key, name, trust, origin, project, context, walked, kinds
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE $label IN labels(n)
  AND (n.user_id IS NULL OR n.user_id = $user_id)
CALL (n) {
  MATCH (n)-[r]-(m)
  WHERE r.user_id IS NULL
    OR r.user_id = $user_id
  WITH n, r, m
  LIMIT $walk
  RETURN collect([r, m]) AS links
}
CALL (n) {
  MATCH (p:Memory {team_id: $team_id, entity_key: n.project_id})
  USING INDEX SEEK p:Memory(team_id, entity_key)
  MATCH (p)-[r:has_context_document]->(d:Document)
  WHERE d.team_id = $team_id
    AND (d.user_id IS NULL OR d.user_id = $user_id)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH d, r
  ORDER BY r.key
  LIMIT 1
  RETURN collect(d.entity_key) AS context
}
CALL (n, links) {
  UNWIND links AS link
  WITH n, link[0] AS r, link[1] AS o
  WHERE o <> n
    AND o.team_id = $team_id
    AND (o.user_id IS NULL OR o.user_id = $user_id)
    AND any(label IN labels(o) WHERE label IN $labels)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND NOT (o:Document AND (toLower(coalesce(o.type_key, '')) CONTAINS 'scratch' OR toLower(coalesce(o.type_key, '')) CONTAINS 'workspace'))
  WITH n, o, r
  ORDER BY r.key
  LIMIT $walk
  WITH o, collect([r.key, coalesce(r.type_word, type(r)), startNode(r) = n, r.trust, r.origin]) AS relations
  ORDER BY CASE WHEN o.state_key IN ['active', 'in_progress', 'todo'] THEN 0 ELSE 1 END, o.created_at DESC, o.entity_key
  LIMIT $walk
  WITH [label IN labels(o) WHERE label <> 'Memory'][0] AS kind, collect([o, relations]) AS found
  WITH kind, size(found) AS total, found[$skip..$until] AS page
  RETURN collect([kind, total, [x IN page | [
    x[0].entity_key, x[0].name, x[0].state_key, x[0].type_key, x[0].due_at, CASE WHEN $whole THEN x[0].description END, x[1], x[0].trust, x[0].origin
  ]]]) AS kinds
}
RETURN n.entity_key AS entity_key, n.name AS name, n.trust AS trust, n.origin AS origin, n.project_id AS project, context, size(links) AS walked, kinds
LIMIT 1
