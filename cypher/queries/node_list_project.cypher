// Returns a page of the nodes of one kind in a project, by key. $state: only those in this state now.
// The version is read before the rest: a change at that moment then belongs to a later version, and is not overwritten with if_version.
// mode: read
// params: team_id, user_id, project_id, label, state, now_ms, archive_below, after, limit
// returns: entity_key, properties
MATCH (n:Memory {team_id: $team_id, project_id: $project_id})
USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
WHERE n.entity_key > $after
  AND (n.user_id IS NULL OR n.user_id = $user_id)
  AND $label IN labels(n)
  AND ($state IS NULL OR $state = CASE
    WHEN n.expires_at <= $now_ms OR n.decay_rate > 0 AND n.salience >= $archive_below AND n.salience_at < $now_ms
      AND n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) < $archive_below THEN 'archived'
    ELSE n.state END)
WITH n
ORDER BY n.team_id, n.project_id, n.entity_key
LIMIT $limit
WITH n, coalesce(n.version, 1) AS version
RETURN n.entity_key AS entity_key,
  [['version', version]] + [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope', 'version'] | [name, n[name]]] AS properties
LIMIT 100000
