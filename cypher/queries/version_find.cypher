// Returns a former version of a node or relationship that the caller may see, by its number. The version that a delete ended is none
// until that is undone.
// mode: read
// params: team_id, user_id, key, is_relationship, version
// returns: kind, type, from, to, until, deleted, properties
MATCH (f:Former {team_id: $team_id, former_of: $key})
USING INDEX SEEK f:Former(team_id, former_of, until)
WHERE f.until > 0
  AND (f.former_kind = 'relationship') = $is_relationship
  AND coalesce(f.version, 1) = $version
  AND (f.user_id IS NULL OR f.user_id = $user_id OR f.former_kind = 'source' AND $user_id IN f.participants)
WITH f
ORDER BY f.until DESC
LIMIT 1
RETURN f.former_kind AS kind, coalesce(f.type_word, f.former_type) AS type, f.from_key AS from, f.to_key AS to, f.until AS until, false AS deleted,
  [name IN keys(f) WHERE NOT name IN ['team_id', 'former_of', 'former_kind', 'former_type', 'until', 'thin_at', 'from_key', 'to_key'] | [name, f[name]]] AS properties
LIMIT 1
