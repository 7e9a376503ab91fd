// Returns candidates for anchors, each with the user's newest sources that mention it: keys and starts, newest first.
// mode: read
// params: team_id, user_id, entity_keys, limit, now
// returns: labels, properties, sources
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (n) {
  MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: n.entity_key}]->(:Memory)
  USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
  WHERE m.started_at IS NOT NULL
    AND coalesce(m.valid_to > $now, true)
    AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
  WITH s, m
  ORDER BY m.team_id DESC, m.user_id DESC, m.node_key DESC, m.started_at DESC
  LIMIT $limit
  RETURN collect([s.entity_key, m.started_at]) AS sources
}
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties,
  sources
LIMIT 1000
