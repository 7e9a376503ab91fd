// The nodes that a write is about to touch, by key or natural key, and the owners of users; locks them until the transaction ends, so that
// two writers of one node or of one pair of nodes follow each other.
// mode: write
// params: team_id, entity_keys, natural_keys, owner_users
// returns: labels, properties
CALL () {
  UNWIND $entity_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  RETURN n
  UNION
  UNWIND $natural_keys AS key
  MATCH (n:Memory {team_id: $team_id, natural_key: key})
  RETURN n
  UNION
  UNWIND $owner_users AS user
  MATCH (n:Person {team_id: $team_id, owner_of: user})
  RETURN n
}
SET n.team_id = $team_id
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE name <> 'embedding' | [name, n[name]]] AS properties
LIMIT 100000
