// Returns what has the keys that an import gives to nodes as keys of others that were merged into them: a stored node, deleted ones with
// the node into which they were merged, and the person that has replaced a generated owner of the key.
// mode: read
// params: team_id, keys
// returns: key, user, into, stored
UNWIND $keys AS key
CALL (key) {
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n.user_id AS user, null AS into, true AS stored
  UNION ALL
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  RETURN d.user_id AS user, d.merged_into AS into, false AS stored
  UNION ALL
  MATCH (p:Person {team_id: $team_id, former_key: key})
  USING INDEX SEEK p:Person(team_id, former_key)
  RETURN p.user_id AS user, p.entity_key AS into, false AS stored
}
WITH DISTINCT key, coalesce(user, '') AS user, coalesce(into, '') AS into, stored
RETURN key, user, into, stored
LIMIT 100000
