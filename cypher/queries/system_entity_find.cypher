// Finds entities of systems by their natural keys.
// mode: read
// params: team_id, natural_keys
// returns: entity
UNWIND $natural_keys AS key
MATCH (n:Memory {team_id: $team_id, natural_key: key})
USING INDEX SEEK n:Memory(team_id, natural_key)
RETURN [
  n.entity_key, n.name, n.description, n.type, n.tags, n.properties, n.seq, n.version,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.trust, n.origin
] AS entity
LIMIT 100000
