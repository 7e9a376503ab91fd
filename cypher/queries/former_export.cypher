// Returns the next former versions of a team, by record, end and version.
// mode: read
// params: team_id, of, until, version, limit
// returns: kind, of, type, from, to, until, properties
MATCH (f:Former {team_id: $team_id})
USING INDEX SEEK f:Former(team_id, former_of, until)
WHERE f.former_of >= $of
  AND f.until IS NOT NULL
  AND (f.former_of > $of OR f.until > $until OR f.until = $until AND coalesce(f.version, 1) > $version)
WITH f
ORDER BY f.team_id, f.former_of, f.until, f.version
LIMIT $limit
RETURN f.former_kind AS kind, f.former_of AS of, f.former_type AS type, f.from_key AS from, f.to_key AS to, f.until AS until,
  [name IN keys(f) WHERE NOT name IN ['team_id', 'former_kind', 'former_of', 'former_type', 'from_key', 'to_key', 'until', 'thin_at'] | [name, f[name]]] AS properties
LIMIT 100000
