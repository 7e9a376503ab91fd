// Returns steps of a walk in full: the relationship with a key, or else the most salient current one, between two nodes
// that the caller may see, and the node that it leads to. Written for one type; the store puts in the requested types,
// or any but those to messages (cypher.OfTypes, OfTypesBut). $words are the included types when some may be words of
// the team's own, $without the excluded ones; null: all.
// mode: read
// params: team_id, user_id, steps, words, without, now
// returns: step, out, type, relationship, labels, node
UNWIND $steps AS step
MATCH (n:Memory {team_id: $team_id, entity_key: step.from})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
MATCH (m:Memory {team_id: $team_id, entity_key: step.to})
USING INDEX SEEK m:Memory(team_id, entity_key)
WHERE m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants
CALL (n, m, step) {
  MATCH (n)-[r:relates_to]-(m)
  WHERE coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND ($words IS NULL OR coalesce(r.type_word, type(r)) IN $words)
    AND ($without IS NULL OR NOT coalesce(r.type_word, type(r)) IN $without)
    AND (step.key IS NULL OR r.key = step.key)
    AND (step.out IS NULL OR (startNode(r) = n) = step.out)
  RETURN r
  ORDER BY r.salience DESC, r.key
  LIMIT 1
}
RETURN step.number AS step,
  startNode(r) = n AS out,
  type(r) AS type,
  [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] AS relationship,
  labels(m) AS labels,
  [name IN keys(m) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, m[name]]] AS node
LIMIT 1000
