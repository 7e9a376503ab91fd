// Returns which of some numbers the entities and relationships of a system have. The writer holds the system's lock.
// mode: read
// params: team_id, system, numbers
// returns: taken
CALL () {
  UNWIND $numbers AS number
  MATCH (n:SystemEntity {team_id: $team_id, system: $system, seq: number})
  USING INDEX SEEK n:SystemEntity(team_id, system, seq)
  RETURN number
  UNION
  UNWIND $numbers AS number
  MATCH (:SystemEntity)-[r:system_relationship {team_id: $team_id, system: $system, seq: number}]->(:SystemEntity)
  USING INDEX SEEK r:system_relationship(team_id, system, seq)
  RETURN number
}
RETURN collect(number) AS taken
LIMIT 1
