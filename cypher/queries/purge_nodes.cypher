// Removes the next nodes deleted before $cutoff for good, with the statements in deleted messages.
// mode: write
// scope: server
// params: cutoff, limit
// returns: purged
MATCH (n:Deleted)
USING INDEX SEEK n:Deleted(deleted_at)
WHERE n.deleted_at <= $cutoff
WITH n
LIMIT $limit
CALL (n) {
  MATCH (x:Statement {team_id: n.team_id, message_key: n.entity_key})
  DELETE x
}
DETACH DELETE n
RETURN count(*) AS purged
