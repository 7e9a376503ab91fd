// Lists the systems of a team after $after_name, by name, with their numbers of entities and relationships.
// mode: read
// params: team_id, after_name, limit
// returns: system
MATCH (s:System {team_id: $team_id})
USING INDEX SEEK s:System(team_id, name)
WHERE s.name > $after_name
WITH s
ORDER BY s.team_id, s.name
LIMIT $limit
RETURN [
  s.name,
  COUNT {
    MATCH (n:SystemEntity {team_id: $team_id, system: s.name})
    USING INDEX SEEK n:SystemEntity(team_id, system, seq)
    WHERE n.seq >= 0
  },
  COUNT {
    MATCH (:SystemEntity)-[r:system_relationship {team_id: $team_id, system: s.name}]->(:SystemEntity)
    USING INDEX SEEK r:system_relationship(team_id, system, seq)
    WHERE r.seq >= 0
  },
  s.version, s.created_at.epochMillis, s.updated_at.epochMillis
] AS system
