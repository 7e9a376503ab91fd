// Stores on storylines what at least half of their newest sources mention: their themes, by which macros find them.
// mode: write
// params: team_id, entity_keys, window, now
// returns: themes
UNWIND $entity_keys AS key
MATCH (t:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK t:Memory(team_id, entity_key)
CALL (t) {
  MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: t.user_id, node_key: t.anchor_key}]->(:Memory)
  USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
  WHERE m.started_at IS NOT NULL
    AND coalesce(m.valid_to > $now, true)
    AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
    AND EXISTS { (t)-[:includes {team_id: $team_id}]->(s) }
  WITH s, m
  ORDER BY m.team_id DESC, m.user_id DESC, m.node_key DESC, m.started_at DESC
  LIMIT $window
  WITH collect(s) AS sources
  UNWIND sources AS s
  MATCH (s)-[r:mentions {team_id: $team_id}]->(n:Memory)
  WHERE coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND n.is_owner IS NULL
  WITH size(sources) AS total, n.entity_key AS theme, count(DISTINCT s) AS mentioning
  WHERE 2 * mentioning >= total
  WITH theme, mentioning
  ORDER BY mentioning DESC, theme
  LIMIT 100
  RETURN collect(theme) AS themes
}
SET t.themes = themes
RETURN themes
