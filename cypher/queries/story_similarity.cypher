// Counts the mentions that a source shares with the newest sources of storylines, and returns whether they already
// include it. The sources of a storyline mention its anchor: the index of mentions has them in their order.
// mode: read
// params: team_id, entity_keys, source_key, mentions, window, now
// returns: entity_key, included, shared
MATCH (n:Memory {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
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
  MATCH (s)-[r:mentions {team_id: $team_id}]->(o:Memory)
  WHERE o.entity_key IN $mentions
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  RETURN count(DISTINCT o) AS shared
}
RETURN key AS entity_key,
  EXISTS { (t)-[:includes {team_id: $team_id}]->(n) } AS included,
  shared
LIMIT 1000
