// Stores the proposals of some nodes ($entity_keys): $rows without those that were refused meanwhile, and no others. One that was proposed
// before keeps its time, and a model's verdict if the comparison found the same. The writer has locked the nodes, as a refusal does.
// mode: write
// params: team_id, entity_keys, rows, now
// returns: proposed
CALL () {
  UNWIND $entity_keys AS key
  CALL (key) {
    MATCH (d:Duplicate {team_id: $team_id, first_key: key})
    USING INDEX SEEK d:Duplicate(team_id, first_key)
    RETURN d
    UNION
    MATCH (d:Duplicate {team_id: $team_id, second_key: key})
    USING INDEX SEEK d:Duplicate(team_id, second_key)
    RETURN d
  }
  WITH DISTINCT d
  WHERE NOT d.pair IN [row IN $rows | row.pair]
  DELETE d
}
CALL () {
  UNWIND $rows AS row
  OPTIONAL MATCH (o:DuplicateRefusal {team_id: $team_id, pair: row.pair})
  USING INDEX SEEK o:DuplicateRefusal(team_id, pair)
  WITH row, o
  WHERE o IS NULL
  MERGE (d:Duplicate {team_id: $team_id, pair: row.pair})
  ON CREATE SET d.proposed_at = $now
  SET d.user_id = row.user_id, d.of_user = row.of_user, d.kind = row.kind, d.first_key = row.first_key, d.second_key = row.second_key
  WITH d, row
  CALL (d, row) {
    WITH d, row
    WHERE d.compared IS NULL OR d.compared <> row.probability
    SET d.compared = row.probability, d.probability = row.probability, d.reasons = row.reasons, d.weights = row.weights, d.verdict = null,
      d.judge_from = CASE WHEN row.unsure THEN $now END
  }
  RETURN count(d) AS proposed
}
RETURN proposed
