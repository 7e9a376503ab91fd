// Returns the keys and ends of at most $limit relationships of nodes of a team, stored or deleted, and of their messages and storylines, which
// come and go with them. One between a source and its message has no key.
// mode: read
// params: team_id, keys, limit
// returns: key, from, to
UNWIND $keys AS entity_key
CALL (entity_key) {
  MATCH (n:Memory {team_id: $team_id, entity_key: entity_key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
  UNION
  MATCH (n:Deleted {team_id: $team_id, entity_key: entity_key})
  USING INDEX SEEK n:Deleted(team_id, entity_key)
  RETURN n
}
CALL (n) {
  RETURN n AS x
  UNION
  MATCH (n)-[:has_message {team_id: $team_id}]->(x)
  RETURN x
  UNION
  MATCH (n)<-[:about|rooted_in {team_id: $team_id}]-(x {anchor_key: n.entity_key})
  RETURN x
}
MATCH (x)-[r {team_id: $team_id}]-()
RETURN DISTINCT coalesce(r.key, '') AS key,
  startNode(r).entity_key AS from,
  endNode(r).entity_key AS to
LIMIT $limit
