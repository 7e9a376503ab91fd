// Remembers that the nodes of some pairs are two, and removes their proposals.
// mode: write
// params: team_id, rows
// returns: created
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
