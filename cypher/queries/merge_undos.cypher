// Returns what an undo of the merges of some deleted nodes needs, by their keys. It has into which node each was merged first.
// mode: read
// params: team_id, keys
// returns: key, undo
UNWIND $keys AS key
MATCH (d:Deleted {team_id: $team_id, entity_key: key})
USING INDEX SEEK d:Deleted(team_id, entity_key)
WHERE d.merge_undo IS NOT NULL
RETURN key,
  d.merge_undo AS undo
LIMIT 100000
