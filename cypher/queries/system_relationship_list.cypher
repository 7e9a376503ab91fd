// Lists relationships of a system from number $from on, in order of creation; with one start, end and type, unless
// these are null.
// mode: read
// params: team_id, system, from, from_name, to_name, type, limit
// returns: relationship
MATCH (a:SystemEntity)-[r:system_relationship {team_id: $team_id, system: $system}]->(b:SystemEntity)
USING INDEX SEEK r:system_relationship(team_id, system, seq)
WHERE r.seq >= $from
  AND ($type IS NULL OR r.relationship_type = $type)
  AND ($from_name IS NULL OR a.name = $from_name)
  AND ($to_name IS NULL OR b.name = $to_name)
WITH a, r, b
ORDER BY r.team_id, r.system, r.seq
LIMIT $limit
RETURN [
  r.key, a.name, b.name, r.relationship_type, r.properties, r.seq, r.from_key, r.to_key, coalesce(r.version, 1)
] AS relationship
