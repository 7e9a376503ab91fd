// Returns a node of a project in full, with the given fields of the project and the node's relationships, most
// important other ends first: at most 20 of the first $walk that the caller may see. Also returns how many incoming
// relationships lead up to the project; null: more than five.
// mode: read
// params: team_id, user_id, entity_key, label, walk, project_fields, now
// returns: properties, project, relationships, level, links
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE $label IN labels(n)
  AND (n.user_id IS NULL OR n.user_id = $user_id)
CALL (n) {
  MATCH (p:Memory {team_id: $team_id, entity_key: n.project_id})
  USING INDEX SEEK p:Memory(team_id, entity_key)
  WHERE p:Project
    AND (p.user_id IS NULL OR p.user_id = $user_id)
  RETURN collect([name IN $project_fields WHERE p[name] IS NOT NULL | [name, p[name]]]) AS project
}
CALL (n) {
  MATCH (n)-[r]-(m)
  WHERE r.user_id IS NULL
    OR r.user_id = $user_id
  WITH n, r, m
  LIMIT $walk
  WHERE m.team_id = $team_id
    AND (m.user_id IS NULL OR m.user_id = $user_id)
    AND m.workspace_counted IS NOT NULL
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH n, r, m
  ORDER BY m.workspace_rank, m.entity_key, r.key
  LIMIT 20
  RETURN collect([coalesce(r.type_word, type(r)), startNode(r) = n, m.entity_key, labels(m), m.name,
    CASE WHEN r.trust < coalesce(m.trust, 1.0) THEN r.trust ELSE m.trust END, CASE WHEN r.trust < coalesce(m.trust, 1.0) THEN r.origin ELSE m.origin END]) AS relationships
}
CALL (n) {
  UNWIND CASE WHEN any(link IN n.workspace_links WHERE link STARTS WITH 'in') THEN [] ELSE [n] END AS o
  MATCH (o)<-[r]-(m)
  WHERE m.team_id = $team_id
    AND m.project_id = n.project_id
    AND (m.user_id IS NULL OR m.user_id = $user_id)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH collect(DISTINCT m)[..200] AS up
  RETURN up AS above2, any(m IN up WHERE any(link IN m.workspace_links WHERE link STARTS WITH 'in')) AS at2
}
CALL (n, above2, at2) {
  UNWIND CASE WHEN at2 THEN [] ELSE above2 END AS o
  MATCH (o)<-[r]-(m)
  WHERE m.team_id = $team_id
    AND m.project_id = n.project_id
    AND (m.user_id IS NULL OR m.user_id = $user_id)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH collect(DISTINCT m)[..200] AS up
  RETURN up AS above3, any(m IN up WHERE any(link IN m.workspace_links WHERE link STARTS WITH 'in')) AS at3
}
CALL (n, above3, at3) {
  UNWIND CASE WHEN at3 THEN [] ELSE above3 END AS o
  MATCH (o)<-[r]-(m)
  WHERE m.team_id = $team_id
    AND m.project_id = n.project_id
    AND (m.user_id IS NULL OR m.user_id = $user_id)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH collect(DISTINCT m)[..200] AS up
  RETURN up AS above4, any(m IN up WHERE any(link IN m.workspace_links WHERE link STARTS WITH 'in')) AS at4
}
CALL (n, above4, at4) {
  UNWIND CASE WHEN at4 THEN [] ELSE above4 END AS o
  MATCH (o)<-[r]-(m)
  WHERE m.team_id = $team_id
    AND m.project_id = n.project_id
    AND (m.user_id IS NULL OR m.user_id = $user_id)
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH collect(DISTINCT m)[..200] AS up
  RETURN up AS above5, any(m IN up WHERE any(link IN m.workspace_links WHERE link STARTS WITH 'in')) AS at5
}
RETURN [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties,
  project, relationships,
  CASE
    WHEN any(link IN n.workspace_links WHERE link STARTS WITH 'in') THEN 1
    WHEN at2 THEN 2
    WHEN at3 THEN 3
    WHEN at4 THEN 4
    WHEN at5 THEN 5
  END AS level,
  n.workspace_links AS links
LIMIT 1
