// Counts the entities and relationships of a system.
// mode: read
// params: team_id, system
// returns: entities, relationships
MATCH (s:System {team_id: $team_id, name: $system})
CALL (s) {
  MATCH (n:SystemEntity {team_id: $team_id, system: s.name})
  USING INDEX SEEK n:SystemEntity(team_id, system, seq)
  WHERE n.seq >= 0
  RETURN count(n) AS entities
}
CALL (s) {
  MATCH (:SystemEntity)-[r:system_relationship {team_id: $team_id, system: s.name}]->(:SystemEntity)
  USING INDEX SEEK r:system_relationship(team_id, system, seq)
  WHERE r.seq >= 0
  RETURN count(r) AS relationships
}
RETURN entities, relationships
LIMIT 1
