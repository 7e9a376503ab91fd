// Returns what the caller may see of some nodes at a time, by their keys: the version that was replaced or deleted first after it, else
// the stored one. If that was written later, the version of the time is not kept: then the last one that is kept from before, or else only
// the properties $bare, which are never texts, with compacted. existed: whether the node was there, a source or message from its own time on; current: whether this is the stored
// version. salience: that of salience_at.
// mode: read
// params: team_id, user_id, keys, at, bare
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
CALL (key, n) {
  MATCH (f:Former {team_id: $team_id, former_of: key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE n.version > 1
    AND n.updated_at.epochMillis > $at
    AND f.until <= $at
    AND f.entity_key = key
    AND (f.user_id IS NULL OR f.user_id = $user_id OR $user_id IN f.participants)
  WITH f
  ORDER BY f.until DESC, f.version DESC
  LIMIT 1
  RETURN collect(f) AS before
}
WITH key, kind, n, coalesce(n.version > 1 AND n.updated_at.epochMillis > $at, false) AS late, before
WITH key, n AS taken, late, late AND size(before) = 0 AS bare,
  CASE WHEN late AND size(before) > 0 THEN before[0].former_kind ELSE kind END AS kind,
  CASE WHEN late AND size(before) > 0 THEN before[0] ELSE n END AS n
RETURN key, kind, labels(n) AS label, CASE WHEN bare THEN '' ELSE n.name END AS name, n.trust AS trust, n.origin AS origin,
  coalesce(taken.restored_at, CASE WHEN coalesce(taken.at, taken.started_at) < taken.created_at THEN coalesce(taken.at, taken.started_at).epochMillis END,
    taken.created_at.epochMillis, taken.at.epochMillis, 0) <= $at AS existed,
  n:Memory AND NOT late AS current, n.salience AS salience, n.decay_rate AS decay_rate, n.salience_at AS salience_at,
  CASE WHEN n:Memory AND NOT late THEN null
    ELSE CASE WHEN late THEN [['compacted', true]] ELSE [] END
      + [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope', 'team_id', 'deleted_at', 'former_of', 'former_kind', 'until', 'thin_at', 'deleted', 'deleted_kind', 'deleted_by', 'deleted_with'] AND (NOT bare OR name IN $bare) | [name, n[name]]] END AS properties
LIMIT 10000
