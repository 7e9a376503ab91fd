// Counts the relationships of some nodes that everybody sees who sees what is a user's, or, without user_id, what the team shares: up to
// $most of each node.
// mode: read
// params: team_id, rows, most
// returns: position, links
UNWIND $rows AS row
MATCH (m:Memory {team_id: $team_id, entity_key: row.entity_key})
USING INDEX SEEK m:Memory(team_id, entity_key)
CALL (m, row) {
  MATCH (m)-[r {team_id: $team_id}]-(o:Memory)
  WHERE (r.user_id IS NULL OR r.user_id = row.user_id)
    AND (o.user_id IS NULL OR o.user_id = row.user_id)
  WITH r
  LIMIT $most
  RETURN count(r) AS links
}
RETURN row.position AS position,
  links
LIMIT 100000
