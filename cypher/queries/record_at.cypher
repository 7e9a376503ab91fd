// Returns what the caller may see of some nodes at a time, by their keys: the version that was replaced or deleted first after it, else
// the stored one. existed: whether the node was there, a source or message from its own time on; current: whether this is the stored
// version. salience: that of salience_at.
// mode: read
// params: team_id, user_id, keys, at
// returns: key, kind, label, name, trust, origin, existed, current, salience, decay_rate, salience_at, properties
UNWIND $keys AS key
CALL (key) {
  CALL (key) {
    MATCH (n:Former {team_id: $team_id, former_of: key})
    USING INDEX SEEK n:Former(team_id, former_of, until)
    WHERE n.until > $at
      AND n.entity_key = key
      AND (n.user_id IS NULL OR n.user_id = $user_id OR n.former_kind = 'source' AND $user_id IN n.participants)
    WITH n
    ORDER BY n.until, n.version
    LIMIT 1
    RETURN n, n.until AS until, n.former_kind AS kind
    UNION ALL
    MATCH (n:Deleted {team_id: $team_id, entity_key: key})
    USING INDEX SEEK n:Deleted(team_id, entity_key)
    WHERE n.deleted_at.epochMillis > $at
    RETURN n, n.deleted_at.epochMillis AS until, n.deleted_kind AS kind
    UNION ALL
    MATCH (n:Memory {team_id: $team_id, entity_key: key})
    USING INDEX SEEK n:Memory(team_id, entity_key)
    RETURN n, 9007199254740991 AS until, null AS kind
  }
  WITH n, until, kind
  WHERE n.user_id IS NULL OR n.user_id = $user_id OR (n:Source OR kind = 'source') AND $user_id IN n.participants
  WITH n, until, kind
  ORDER BY until
  LIMIT 1
  RETURN n, until, kind
}
RETURN key, kind, labels(n) AS label, n.name AS name, n.trust AS trust, n.origin AS origin,
  coalesce(n.restored_at, CASE WHEN coalesce(n.at, n.started_at) < n.created_at THEN coalesce(n.at, n.started_at).epochMillis END,
    n.created_at.epochMillis, n.at.epochMillis, 0) <= $at AS existed,
  n:Memory AS current, n.salience AS salience, n.decay_rate AS decay_rate, n.salience_at AS salience_at,
  CASE WHEN n:Memory THEN null
    ELSE [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope', 'team_id', 'deleted_at', 'former_of', 'former_kind', 'until', 'thin_at', 'deleted', 'deleted_kind', 'deleted_by', 'deleted_with'] | [name, n[name]]] END AS properties
LIMIT 10000
