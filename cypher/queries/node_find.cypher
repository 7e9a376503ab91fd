// The nodes that a write is about to touch, by key or natural key, and the owners of users; and, in rows of one list, what
// relationships need to know of their ends, and who may restore deleted nodes of the keys. Locks them all until the transaction ends, so that two writers of one node or
// of one pair of nodes follow each other: to set a label that is there takes the lock and writes nothing.
// mode: write
// params: team_id, entity_keys, natural_keys, owner_users, ends
// returns: labels, properties, end
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
SET n:Memory
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'near'] | [name, n[name]]] AS properties,
  null AS end
LIMIT 100000
UNION ALL
UNWIND $ends AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
SET n:Memory
RETURN labels(n) AS labels,
  null AS properties,
  [n.entity_key, n.user_id, n.is_owner, n.started_at, n.content_type, n.project_id,
    n.state, n.ttl_policy, n.salience, n.salience_at, n.decay_rate, n.ends_at, n.expires_at, n.confidence, n.access_count, n.recall_frequency,
    n.decay_gradient, n.last_recall_interval, n.last_accessed_at, n.source_count, n.ranked] AS end
LIMIT 100000
UNION ALL
UNWIND $entity_keys AS key
MATCH (n:Deleted {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Deleted(team_id, entity_key)
RETURN null AS labels,
  null AS properties,
  [n.entity_key, coalesce(n.user_id, '')] AS end
LIMIT 100000
