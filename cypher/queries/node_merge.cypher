// Moves relationships of a node that is merged into another one: those whose keys $moved has; without $moved back to a restored node those
// that a merge has moved from it. Their merged_from has the keys of the nodes from which they came. Mention counts are those of the
// relationships, and keys of earlier merges follow. The node from which they move keeps into which it was merged and what an undo
// needs. One from the node to itself, in a system, stays one. links: of each moved relationship its key, type, ends, version, user, whether
// it has not ended, whether it is one of a system, and whether a deleted node hides it.
// mode: write
// params: team_id, from, to, others, moved, into, undo, now
// returns: links
MATCH (g:Memory {team_id: $team_id, entity_key: $from})
USING INDEX SEEK g:Memory(team_id, entity_key)
MATCH (o:Memory {team_id: $team_id, entity_key: $to})
USING INDEX SEEK o:Memory(team_id, entity_key)
CALL (g, o) {
  MATCH (g)-[r {team_id: $team_id}]-(x)
  WHERE CASE WHEN $moved IS NULL THEN $to IN r.merged_from ELSE r.key IN $moved END
  WITH g, o, r, CASE WHEN x = g THEN o ELSE x END AS x, type(r) AS kind, startNode(r) = g AS leads, properties(r) AS values
  DELETE r
  WITH o, x, kind, leads, values, [key IN coalesce(values.merged_from, []) WHERE key <> $to] + CASE WHEN $moved IS NULL THEN [] ELSE [$from] END AS sources
  CALL (o, x, kind, leads, values, sources) {
    WITH o, x, kind, leads, values, sources
    WHERE leads
    CREATE (o)-[n:$(kind) {team_id: $team_id}]->(x)
    SET n = values, n.merged_from = CASE WHEN sources = [] THEN null ELSE sources END,
      n.from_key = CASE WHEN values.from_key IS NOT NULL THEN $to END, n.to_key = CASE WHEN values.to_key IS NOT NULL THEN x.entity_key END,
      n.hub_from = CASE WHEN kind <> 'system_relationship' THEN o.hub_key END, n.hub_to = CASE WHEN kind <> 'system_relationship' THEN x.hub_key END
    UNION
    WITH o, x, kind, leads, values, sources
    WHERE NOT leads
    CREATE (x)-[n:$(kind) {team_id: $team_id}]->(o)
    SET n = values, n.merged_from = CASE WHEN sources = [] THEN null ELSE sources END, n.node_key = CASE WHEN kind = 'mentions' THEN $to ELSE n.node_key END,
      n.from_key = CASE WHEN values.from_key IS NOT NULL THEN x.entity_key END, n.to_key = CASE WHEN values.to_key IS NOT NULL THEN $to END,
      n.hub_from = CASE WHEN kind <> 'system_relationship' THEN x.hub_key END, n.hub_to = CASE WHEN kind <> 'system_relationship' THEN o.hub_key END
  }
  RETURN collect([values.key, CASE WHEN kind = 'system_relationship' THEN values.relationship_type ELSE coalesce(values.type_word, kind) END, CASE WHEN leads THEN $to ELSE x.entity_key END,
    CASE WHEN leads THEN x.entity_key ELSE $to END, coalesce(values.version, 1), coalesce(values.user_id, ''), coalesce(values.valid_to > $now, true), kind = 'system_relationship', NOT x:Memory]) AS links
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
  WHERE d.merged_into = $from
  SET d.merged_into = $to
}
SET g.merged_into = $into, g.merge_undo = $undo, o.merged_into = null, o.merge_undo = null
RETURN links
