// Returns all entities and relationships of a system in order of creation, and the system's version before and after
// reading: if these differ, a writer committed in between. A system that was never written has neither.
// mode: read
// params: team_id, system
// returns: before, entities, relationships, after, updated_at
OPTIONAL MATCH (s:System {team_id: $team_id, name: $system})
WITH coalesce(s.name, $system) AS name, s.version AS before
CALL (name) {
  MATCH (n:SystemEntity {team_id: $team_id, system: name})
  USING INDEX SEEK n:SystemEntity(team_id, system, seq)
  WHERE n.seq >= 0
  WITH n
  ORDER BY n.team_id, n.system, n.seq
  LIMIT 20000
  RETURN collect([
    n.entity_key, n.name, n.description, n.type, n.tags, n.properties, n.seq, n.version,
    n.created_at.epochMillis, n.updated_at.epochMillis, n.trust, n.origin
  ]) AS entities
}
CALL (name) {
  MATCH (a:SystemEntity)-[r:system_relationship {team_id: $team_id, system: name}]->(b:SystemEntity)
  USING INDEX SEEK r:system_relationship(team_id, system, seq)
  WHERE r.seq >= 0
  WITH a, r, b
  ORDER BY r.team_id, r.system, r.seq
  LIMIT 20000
  RETURN collect([
    r.key, a.name, b.name, r.relationship_type, r.properties, r.seq, r.from_key, r.to_key, coalesce(r.version, 1)
  ]) AS relationships
}
OPTIONAL MATCH (t:System {team_id: $team_id, name: name})
RETURN before,
  entities,
  relationships,
  t.version AS after,
  t.updated_at AS updated_at
LIMIT 1
