// Remembers that the nodes of some pairs are two, and removes their proposals. Locks the nodes, so that nobody proposes or refuses them at
// the same moment.
// mode: write
// params: team_id, rows
// returns: created
CALL () {
  UNWIND $rows AS row
  UNWIND [row.first_key, row.second_key] AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  REMOVE n:Former
}
CALL () {
  UNWIND $rows AS row
  MATCH (p:Duplicate {team_id: $team_id, pair: row.pair})
  USING INDEX SEEK p:Duplicate(team_id, pair)
  DELETE p
}
CALL () {
  UNWIND $rows AS row
  OPTIONAL MATCH (o:DuplicateRefusal {team_id: $team_id, pair: row.pair})
  USING INDEX SEEK o:DuplicateRefusal(team_id, pair)
  MERGE (d:DuplicateRefusal {team_id: $team_id, pair: row.pair})
  ON CREATE SET d.refused_at = row.refused_at
  SET d.user_id = row.user_id, d.of_user = row.of_user, d.kind = row.kind, d.first_key = row.first_key, d.second_key = row.second_key
  RETURN sum(CASE WHEN o IS NULL THEN 1 ELSE 0 END) AS created
}
RETURN created
