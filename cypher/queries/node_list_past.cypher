// Returns a page of the nodes of one kind as they were at a time, also those that were deleted since, by natural key between $prefix and
// $end; or those of a project by key, of any kind if $kind is null. Of each node, the version counts that was replaced or deleted first
// after the time, else the stored one. $state: only those in this state then. read is how many versions were read, at most $most of the
// stored, the former and the deleted ones each. nodes: place in the list, and key.
// mode: read
// params: team_id, user_id, kind, label, project_id, prefix, end, state, at, archive_below, after, most, limit
// returns: read, nodes
CALL () {
  UNWIND CASE WHEN $project_id IS NULL THEN [$prefix] ELSE [] END AS prefix
  MATCH (n:Memory {team_id: $team_id})
  USING INDEX SEEK n:Memory(team_id, natural_key)
  WHERE n.natural_key > prefix
    AND n.natural_key < $end
  RETURN n, 9007199254740991 AS until
  LIMIT $most
  UNION ALL
  UNWIND CASE WHEN $project_id IS NULL THEN [] ELSE [$project_id] END AS project
  MATCH (n:Memory {team_id: $team_id, project_id: project})
  USING INDEX SEEK n:Memory(team_id, project_id, entity_key)
  WHERE n.entity_key IS NOT NULL
    AND ($label IS NULL OR $label IN labels(n))
  RETURN n, 9007199254740991 AS until
  LIMIT $most
  UNION ALL
  MATCH (n:Former {team_id: $team_id})
  USING INDEX SEEK n:Former(team_id)
  WHERE n.until > $at
    AND n.entity_key IS NOT NULL
    AND ($kind IS NULL OR n.former_kind = $kind)
  RETURN n, n.until AS until
  LIMIT $most
  UNION ALL
  MATCH (n:Deleted {team_id: $team_id})
  USING INDEX SEEK n:Deleted(team_id, entity_key)
  WHERE n.entity_key IS NOT NULL
    AND n.deleted_at.epochMillis > $at
    AND ($kind IS NULL OR n.deleted_kind = $kind)
  RETURN n, n.deleted_at.epochMillis AS until
  LIMIT $most
}
WITH collect([n, until]) AS found
CALL (found) {
  UNWIND found AS f
  WITH f[0] AS n, f[1] AS until
  WHERE n.user_id IS NULL
    OR n.user_id = $user_id
  WITH n, until
  ORDER BY n.entity_key, until, n.version
  LIMIT 4 * $most
  WITH n.entity_key AS key, collect(n)[0] AS n
  WHERE coalesce(n.restored_at, n.created_at.epochMillis, 0) <= $at
    AND CASE WHEN $project_id IS NULL THEN n.natural_key > $prefix AND n.natural_key < $end ELSE coalesce(n.project_id = $project_id, false) END
    AND ($state IS NULL OR $state = CASE
      WHEN n.expires_at <= $at OR n.decay_rate > 0 AND n.salience >= $archive_below AND n.salience_at < $at
        AND n.salience * exp(n.decay_rate * (n.salience_at - $at) / 86400000.0) < $archive_below THEN 'archived'
      ELSE n.state END)
  WITH key, CASE WHEN $project_id IS NULL THEN n.natural_key ELSE key END AS place
  WHERE place > $after
  WITH key, place
  ORDER BY place
  LIMIT $limit
  RETURN collect([place, key]) AS nodes
}
RETURN size(found) AS read, nodes
LIMIT 1
