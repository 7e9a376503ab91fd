// Stores the blocks of nodes, and removes the blocks and proposals of those that are deleted ($gone).
// mode: write
// params: team_id, rows, gone
// returns: stored
CALL () {
  UNWIND $gone AS key
  MATCH (b:DuplicateBlocks {team_id: $team_id, entity_key: key})
  USING INDEX SEEK b:DuplicateBlocks(team_id, entity_key)
  DELETE b
}
CALL () {
  UNWIND $gone AS key
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
  DELETE d
}
CALL () {
  UNWIND $rows AS row
  MERGE (b:DuplicateBlocks {team_id: $team_id, entity_key: row.entity_key})
  SET b.user_id = row.user_id, b.blocks = row.blocks
  RETURN count(b) AS stored
}
RETURN stored
