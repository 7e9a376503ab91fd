// Moves relationships back to a restored node from the one that it was merged into, the reverse of node_merge.
// mode: write
// params: team_id, entity_key, other, others
// returns: links
MATCH (g:Memory {team_id: $team_id, entity_key: $other})
USING INDEX SEEK g:Memory(team_id, entity_key)
MATCH (o:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK o:Memory(team_id, entity_key)
CALL (g, o) {
  MATCH (o)-[r {team_id: $team_id}]-(x)
  WHERE $other IN r.merged_from
  WITH g, o, r, x, type(r) AS kind, startNode(r) = o AS leads, properties(r) AS values
  DELETE r
  WITH g, x, kind, leads, values, [key IN values.merged_from WHERE key <> $other] AS earlier
  CALL (g, x, kind, leads, values, earlier) {
    WITH g, x, kind, leads, values, earlier
    WHERE leads
    CREATE (g)-[n:$(kind) {team_id: $team_id}]->(x)
    SET n = values, n.merged_from = CASE WHEN earlier = [] THEN null ELSE earlier END
    UNION
    WITH g, x, kind, leads, values, earlier
    WHERE NOT leads
    CREATE (x)-[n:$(kind) {team_id: $team_id}]->(g)
    SET n = values, n.merged_from = CASE WHEN earlier = [] THEN null ELSE earlier END, n.node_key = CASE WHEN kind = 'mentions' THEN $other ELSE n.node_key END
  }
  RETURN collect([values.key, coalesce(values.type_word, kind), CASE WHEN leads THEN $other ELSE x.entity_key END,
    CASE WHEN leads THEN x.entity_key ELSE $other END, coalesce(values.version, 1), coalesce(values.user_id, ''), values.valid_to IS NULL]) AS links
}
CALL (g, o) {
  UNWIND [g, o] AS n
  OPTIONAL MATCH (:Source)-[m:mentions {team_id: $team_id}]->(n)
  WITH n, count(m) AS sources, min(m.started_at) AS since, max(m.started_at) AS until
  WHERE n.user_id IS NOT NULL
    AND (sources > 0 OR n.source_count > 0)
  SET n.source_count = sources, n.first_mentioned_at = since, n.last_mentioned_at = until
}
CALL () {
  UNWIND $others AS key
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into = $entity_key
  SET d.merged_into = $other
}
SET g.merged_into = null, g.merge_undo = null
RETURN links
