// Returns the version of nodes, and of those in $mention_keys the newest sources of the user that mention them, up to 100 of each.
// mode: read
// params: team_id, user_id, entity_keys, mention_keys, until, now
// returns: entity_key, version, sources, started
UNWIND $entity_keys AS entity_key
MATCH (n:Memory {team_id: $team_id, entity_key: entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (entity_key) {
  WITH entity_key
  WHERE entity_key IN $mention_keys
  MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: entity_key}]->()
  USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
  WHERE m.started_at <= $until
    AND coalesce(m.valid_to > $now, true)
    AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
  WITH s, m
  ORDER BY m.team_id DESC, m.user_id DESC, m.node_key DESC, m.started_at DESC
  LIMIT 100
  RETURN collect(s.entity_key) AS sources, collect(m.started_at.epochMillis) AS started
}
RETURN entity_key, coalesce(n.version, 1) AS version, sources, started
