// Moves the relationships of a generated owner to the person that replaces it, and removes the generated owner. Drops
// relationships to that person, and those that have not ended and hold at the same time as the same one of the person. Mention counts are recomputed from
// them. links: of each relationship, except those that a deleted node hides, its key, type, ends afterwards, version, and whether it was dropped.
// mode: write
// params: team_id, rows, now
// returns: generated, user_id, links
UNWIND $rows AS row
MATCH (g:Memory {team_id: $team_id, entity_key: row.generated})
USING INDEX SEEK g:Memory(team_id, entity_key)
WITH row, g
MATCH (o:Memory {team_id: $team_id, entity_key: row.owner})
USING INDEX SEEK o:Memory(team_id, entity_key)
CALL (o) {
  MATCH (o)-[q {team_id: $team_id}]-(x)
  WHERE coalesce(q.valid_to > $now, true)
  RETURN collect([[x.entity_key, type(q), coalesce(q.type_word, ''), coalesce(q.qualifier, ''), startNode(q) = o], q.valid_from, q.valid_to]) AS has
}
CALL (g, o, has) {
  MATCH (g)-[r {team_id: $team_id}]-(x)
  WITH o, r, x, type(r) AS kind, startNode(r) = g AS leads, properties(r) AS values,
    x = o OR coalesce(r.valid_to > $now, true) AND any(h IN has WHERE h[0] = [x.entity_key, type(r), coalesce(r.type_word, ''), coalesce(r.qualifier, ''), startNode(r) = g]
      AND coalesce(h[1] < r.valid_to, true) AND coalesce(r.valid_from < h[2], true)) AS doubled
  DELETE r
  WITH o, x, kind, leads, values, doubled
  CALL (o, x, kind, leads, values, doubled) {
    WITH o, x, kind, leads, values, doubled
    WHERE NOT doubled AND leads
    CREATE (o)-[n:$(kind) {team_id: $team_id}]->(x)
    SET n = values
    UNION
    WITH o, x, kind, leads, values, doubled
    WHERE NOT doubled AND NOT leads
    CREATE (x)-[n:$(kind) {team_id: $team_id}]->(o)
    SET n = values, n.node_key = CASE WHEN kind = 'mentions' THEN o.entity_key ELSE n.node_key END
  }
  RETURN collect(CASE WHEN x:Memory THEN [values.key, coalesce(values.type_word, kind), CASE WHEN leads THEN o.entity_key ELSE x.entity_key END,
    CASE WHEN leads THEN x.entity_key ELSE o.entity_key END, coalesce(values.version, 1), doubled] END) AS links
}
CALL (g, o) {
  OPTIONAL MATCH (:Source)-[m:mentions {team_id: $team_id}]->(o)
  WITH g, o, count(m) AS sources, min(m.started_at) AS since, max(m.started_at) AS until
  WHERE sources > 0
  SET o.source_count = sources, o.first_mentioned_at = since, o.last_mentioned_at = until,
    o.mention_weight = coalesce(o.mention_weight, 0.0) + coalesce(g.mention_weight, 0.0),
    o.distinct_source_days = coalesce(o.distinct_source_days, []) + [day IN coalesce(g.distinct_source_days, []) WHERE NOT day IN coalesce(o.distinct_source_days, [])]
}
CALL (row) {
  MATCH (f:Former {team_id: $team_id, former_of: row.generated})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until IS NOT NULL
  DELETE f
}
DETACH DELETE g
RETURN row.generated AS generated, o.user_id AS user_id, links
