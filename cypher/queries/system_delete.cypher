// Deletes a system with all its contents.
// mode: write
// params: team_id, system
// returns: entities, relationships
MATCH (s:System {team_id: $team_id, name: $system})
CALL (s) {
  MATCH ()-[r:system_relationship {team_id: $team_id, system: s.name}]->()
  USING INDEX SEEK r:system_relationship(team_id, system, seq)
  WHERE r.seq >= 0
  DELETE r
  RETURN count(r) AS relationships
}
CALL (s) {
  MATCH (n:SystemEntity {team_id: $team_id, system: s.name})
  USING INDEX SEEK n:SystemEntity(team_id, system, seq)
  WHERE n.seq >= 0
  DETACH DELETE n
  RETURN count(n) AS entities
}
DELETE s
RETURN entities, relationships
