// Returns a page of the keys of a team's deleted nodes: how many were read, the last one, and those that lead to another node though they
// must not: a stored node has the key as well, or the other node is of another owner. What a caller deleted stays restorable.
// mode: read
// params: team_id, after, limit
// returns: seen, last, wrong
CALL () {
  MATCH (d:Deleted {team_id: $team_id})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.entity_key > $after
  WITH DISTINCT d.entity_key AS key
  ORDER BY key
  LIMIT $limit
  RETURN key
}
CALL (key) {
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into IS NOT NULL
    AND d.deleted_at IS NULL
  WITH d
  MATCH (n:Memory {team_id: $team_id, entity_key: d.merged_into})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  OPTIONAL MATCH (o:Memory {team_id: $team_id, entity_key: d.entity_key})
  USING INDEX SEEK o:Memory(team_id, entity_key)
  WITH d, n, o
  WHERE o IS NOT NULL
    OR coalesce(d.user_id, '') <> coalesce(n.user_id, '')
  RETURN collect(DISTINCT [key, n.entity_key]) AS wrong
}
WITH key, wrong
RETURN count(*) AS seen,
  max(key) AS last,
  reduce(all = [], some IN collect(wrong) | all + some) AS wrong
LIMIT 1
