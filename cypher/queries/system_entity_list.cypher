// Lists entities of a system from number $from on, in order of creation; of one type and with one tag, unless these are
// null.
// mode: read
// params: team_id, system, from, type, tag, limit
// returns: entity
MATCH (n:SystemEntity {team_id: $team_id, system: $system})
USING INDEX SEEK n:SystemEntity(team_id, system, seq)
WHERE n.seq >= $from
  AND ($type IS NULL OR n.type = $type)
  AND ($tag IS NULL OR $tag IN n.tags)
WITH n
ORDER BY n.team_id, n.system, n.seq
LIMIT $limit
RETURN [
  n.entity_key, n.name, n.description, n.type, n.tags, n.properties, n.seq, n.version,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.trust, n.origin
] AS entity
