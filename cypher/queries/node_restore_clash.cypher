// Finds what has been taken from the nodes that node_restore would restore: for each what it is, with the key of the node that has it now if the
// user may see that.
// mode: read
// params: team_id, user_id, rows, cutoff
// returns: what, holder
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Deleted {team_id: $team_id, entity_key: row.entity_key})
  USING INDEX SEEK n:Deleted(team_id, entity_key)
  WHERE n.deleted_kind = row.kind
    AND n.deleted_at > $cutoff
    AND n.deleted_with IS NULL
    AND NOT EXISTS { (n)<-[:has_message {team_id: $team_id}]-(:Deleted) }
    AND (n.user_id IS NULL OR n.user_id = $user_id)
  WITH n
  ORDER BY n.deleted_at DESC
  LIMIT 1
  RETURN n
}
WITH n, row
WHERE n.merged_into IS NULL OR row.merged
CALL (n) {
  WITH n.entity_key AS taken
  MATCH (h:Memory {team_id: $team_id, entity_key: taken})
  USING INDEX SEEK h:Memory(team_id, entity_key)
  RETURN 'key' AS what, h
  UNION ALL
  WITH n.natural_key AS taken
  MATCH (h:Memory {team_id: $team_id, natural_key: taken})
  USING INDEX SEEK h:Memory(team_id, natural_key)
  RETURN 'name' AS what, h
  UNION ALL
  WITH n.owner_of AS taken
  MATCH (h:Person {team_id: $team_id, owner_of: taken})
  USING INDEX SEEK h:Person(team_id, owner_of)
  RETURN 'place as the user' AS what, h
  UNION ALL
  MATCH (n)-[:has_message {team_id: $team_id}]->(m:Deleted {deleted_with: n.entity_key})
  WITH m.entity_key AS taken
  MATCH (h:Memory {team_id: $team_id, entity_key: taken})
  USING INDEX SEEK h:Memory(team_id, entity_key)
  RETURN 'key of a message' AS what, h
}
RETURN what,
  CASE WHEN h.user_id IS NULL OR h.user_id = $user_id OR $user_id IN h.participants THEN h.entity_key END AS holder
LIMIT 1
