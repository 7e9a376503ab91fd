// Which of some numbers the entities of a system have, and which of others its relationships. The writer holds the system.
// mode: read
// params: team_id, system, entities, relationships
// returns: entities, relationships
CALL () {
  UNWIND $entities AS number
  MATCH (n:SystemEntity {team_id: $team_id, system: $system, seq: number})
  USING INDEX SEEK n:SystemEntity(team_id, system, seq)
  RETURN collect(DISTINCT number) AS entities
}
CALL () {
  UNWIND $relationships AS number
  MATCH (:SystemEntity)-[r:system_relationship {team_id: $team_id, system: $system, seq: number}]->(:SystemEntity)
  USING INDEX SEEK r:system_relationship(team_id, system, seq)
  RETURN collect(DISTINCT number) AS relationships
}
RETURN entities, relationships
LIMIT 1
