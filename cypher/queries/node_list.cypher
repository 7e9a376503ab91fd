// Returns a page of the nodes of one kind, private to a user or shared, ordered by natural key. $state: only those in this state now.
// The version is read before the rest: a change at that moment then belongs to a later version, and is not overwritten with if_version.
// mode: read
// params: team_id, after, end, state, now_ms, archive_below, limit
// returns: natural_key, properties
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, natural_key)
WHERE n.natural_key > $after
  AND n.natural_key < $end
  AND ($state IS NULL OR $state = CASE
    WHEN n.expires_at <= $now_ms OR n.decay_rate > 0 AND n.salience >= $archive_below AND n.salience_at < $now_ms
      AND n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) < $archive_below THEN 'archived'
    ELSE n.state END)
WITH n
ORDER BY n.team_id, n.natural_key
LIMIT $limit
WITH n, coalesce(n.version, 1) AS version
RETURN n.natural_key AS natural_key,
  [['version', version]] + [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope', 'version'] | [name, n[name]]] AS properties
LIMIT 100000
