// Finds relationships of systems by their ends and types.
// mode: read
// params: team_id, rows
// returns: relationship
UNWIND $rows AS row
MATCH (a)-[r:system_relationship {team_id: $team_id, from_key: row.from_key, to_key: row.to_key, relationship_type: row.relationship_type}]->(b)
USING INDEX SEEK r:system_relationship(team_id, from_key, to_key, relationship_type)
RETURN [
  r.key, a.name, b.name, r.relationship_type, r.properties, r.seq, r.from_key, r.to_key, coalesce(r.version, 1)
] AS relationship
LIMIT 100000
