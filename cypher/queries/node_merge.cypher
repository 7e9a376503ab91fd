// Moves relationships of a node ($moved: their keys) to the one that it is merged into. Mention counts are those of the
// relationships. Keys of earlier merges lead to the node now. links: of each moved relationship its key, type, ends, version, user, and whether it is current.
// mode: write
// params: team_id, entity_key, other, others, undo, moved
// returns: links
MATCH (g:Memory {team_id: $team_id, entity_key: $other})
USING INDEX SEEK g:Memory(team_id, entity_key)
MATCH (o:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK o:Memory(team_id, entity_key)
CALL (g, o) {
  MATCH (g)-[r {team_id: $team_id}]-(x)
  WHERE r.key IN $moved
  WITH g, o, r, x, type(r) AS kind, startNode(r) = g AS leads, properties(r) AS values
  DELETE r
  WITH o, x, kind, leads, values
  CALL (o, x, kind, leads, values) {
    WITH o, x, kind, leads, values
    WHERE leads
    CREATE (o)-[n:$(kind) {team_id: $team_id}]->(x)
    SET n = values, n.merged_from = coalesce(values.merged_from, []) + $other
    UNION
    WITH o, x, kind, leads, values
    WHERE NOT leads
    CREATE (x)-[n:$(kind) {team_id: $team_id}]->(o)
    SET n = values, n.merged_from = coalesce(values.merged_from, []) + $other, n.node_key = CASE WHEN kind = 'mentions' THEN o.entity_key ELSE n.node_key END
  }
  RETURN collect([values.key, coalesce(values.type_word, kind), CASE WHEN leads THEN o.entity_key ELSE x.entity_key END,
    CASE WHEN leads THEN x.entity_key ELSE o.entity_key END, coalesce(values.version, 1), coalesce(values.user_id, ''), values.valid_to IS NULL]) AS links
}
CALL (o) {
  OPTIONAL MATCH (:Source)-[m:mentions {team_id: $team_id}]->(o)
  WITH o, count(m) AS sources, min(m.started_at) AS since, max(m.started_at) AS until
  WHERE sources > 0
    AND o.user_id IS NOT NULL
  SET o.source_count = sources, o.first_mentioned_at = since, o.last_mentioned_at = until
}
CALL () {
  UNWIND $others AS key
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into = $other
  SET d.merged_into = $entity_key
}
SET g.merged_into = $entity_key, g.merge_undo = $undo
RETURN links
