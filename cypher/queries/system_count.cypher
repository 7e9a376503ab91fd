// How many entities and relationships a system has.
// mode: read
// params: team_id, system
// returns: entities, relationships
CALL () {
  MATCH (n:SystemEntity {team_id: $team_id, system: $system})
  USING INDEX SEEK n:SystemEntity(team_id, system, seq)
  WHERE n.seq >= 0
  RETURN count(n) AS entities
}
CALL () {
  MATCH ()-[r:system_relationship {team_id: $team_id, system: $system}]->()
  USING INDEX SEEK r:system_relationship(team_id, system, seq)
  WHERE r.seq >= 0
  RETURN count(r) AS relationships
}
RETURN entities, relationships
LIMIT 1
