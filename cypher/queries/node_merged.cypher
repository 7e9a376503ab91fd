// Finds the node with a key that was deleted last, of a kind or of any, and the merge by which it was; into is null if it was only deleted.
// mode: write
// params: team_id, user_id, entity_key, kind, cutoff
// returns: kind, into, undo
MATCH (n:Deleted {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Deleted(team_id, entity_key)
WHERE ($kind IS NULL OR n.deleted_kind = $kind)
  AND n.deleted_kind IS NOT NULL
  AND n.deleted_at > $cutoff
  AND n.deleted_with IS NULL
  AND (n.user_id IS NULL OR n.user_id = $user_id)
WITH n
ORDER BY n.deleted_at DESC
LIMIT 1
SET n.team_id = $team_id
RETURN n.deleted_kind AS kind,
  n.merged_into AS into,
  n.merge_undo AS undo
