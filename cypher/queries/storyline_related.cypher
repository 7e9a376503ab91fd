// Returns the storylines of a user that share a theme with those given, ordered by key.
// mode: read
// params: team_id, after, end, themes
// returns: entity_key, themes, source_count, first_source_at, last_source_at
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, natural_key)
WHERE n.natural_key > $after
  AND n.natural_key < $end
  AND any(theme IN n.themes WHERE theme IN $themes)
WITH n
ORDER BY n.team_id, n.natural_key
LIMIT 1000
RETURN n.entity_key AS entity_key,
  [theme IN n.themes WHERE theme IN $themes] AS themes,
  n.source_count AS source_count,
  n.first_source_at AS first_source_at,
  n.last_source_at AS last_source_at
LIMIT 1000
