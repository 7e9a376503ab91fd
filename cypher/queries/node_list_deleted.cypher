// Returns a page of the deleted nodes of one kind that can be restored, by key.
// mode: read
// params: team_id, user_id, kind, cutoff, after, limit
// returns: entity_key, properties
MATCH (n:Deleted {team_id: $team_id})
USING INDEX SEEK n:Deleted(team_id, entity_key)
WHERE n.entity_key > $after
  AND (n.user_id IS NULL OR n.user_id = $user_id)
  AND n.deleted_kind = $kind
  AND n.deleted_at > $cutoff
  AND n.deleted_with IS NULL
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
RETURN n.entity_key AS entity_key,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties
LIMIT 100000
