// Removes the next nodes deleted before $cutoff for good, with their former versions, those of their relationships, and the statements in deleted messages.
// What was stored under the same keys since then stays.
// Of a node that was merged into another one it leaves the key, which leads to that one.
// One that is restored at the same moment stays.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (n:Deleted)
USING INDEX SEEK n:Deleted(deleted_at)
WHERE n.deleted_at <= $cutoff
WITH n
ORDER BY n.deleted_at
SKIP $skip
LIMIT $limit
REMOVE n:Former
WITH n
WHERE n:Deleted AND n.deleted_at <= $cutoff
CALL (n) {
  WITH n
  WHERE NOT EXISTS { (:Memory {team_id: n.team_id, entity_key: n.entity_key}) }
  MATCH (x:Statement {team_id: n.team_id, message_key: n.entity_key})
  CALL (x) {
    MATCH (f:Former {team_id: x.team_id, former_of: x.key})
    USING INDEX SEEK f:Former(team_id, former_of, until)
    WHERE f.until IS NOT NULL AND f.former_kind = 'statement'
    DELETE f
  }
  DELETE x
}
CALL (n) {
  MATCH (f:Former {team_id: n.team_id, former_of: n.entity_key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= n.deleted_at.epochMillis
  DELETE f
}
CALL (n) {
  MATCH (n)-[r]-()
  WHERE r.key IS NOT NULL
  MATCH (f:Former {team_id: n.team_id, former_of: r.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= n.deleted_at.epochMillis
  DELETE f
}
CALL (n) {
  WITH n
  WHERE n.merged_into IS NOT NULL
  CREATE (:Deleted {team_id: n.team_id, entity_key: n.entity_key, user_id: n.user_id, merged_into: n.merged_into})
}
DETACH DELETE n
RETURN count(*) AS purged
