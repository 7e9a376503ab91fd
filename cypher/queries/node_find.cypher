// Finds the nodes that a write will touch, by key ($own_keys: other forms of keys, which are nodes only), natural key or alias ($alias_queries: full-text queries), and the owners of users. One list holds the data that
// relationships need of their ends, who may restore deleted nodes with the keys, and which users have no person node:
// [user_id, whether the natural key is taken]. Locks the nodes until the transaction ends, so that two writers of one
// node or pair of nodes are serialized. Removing a label that no memory has takes the lock and writes nothing. A node that was
// deleted while this waited for the lock is not found. The check for existing persons of users takes no lock on them.
// mode: write
// params: team_id, entity_keys, own_keys, natural_keys, alias_queries, owner_users, own_users, ends
// returns: labels, properties, end
CALL () {
  UNWIND $entity_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
  UNION
  UNWIND $own_keys AS key
  // Equality would lock the entry of a form that no node has, and so writers of the same key.
  MATCH (n:Memory {team_id: $team_id})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.entity_key STARTS WITH key
  RETURN n
  UNION
  UNWIND $own_keys AS key
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into IS NOT NULL
  WITH d.merged_into AS other
  MATCH (n:Memory {team_id: $team_id, entity_key: other})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
  UNION
  UNWIND $natural_keys AS key
  MATCH (n:Memory {team_id: $team_id, natural_key: key})
  USING INDEX SEEK n:Memory(team_id, natural_key)
  RETURN n
  UNION
  UNWIND $alias_queries AS query
  CALL db.index.fulltext.queryNodes('memory_texts', query, {limit: 10000}) YIELD node AS n
  WHERE n.team_id = $team_id
  RETURN n
  UNION
  UNWIND $owner_users AS user
  MATCH (n:Person {team_id: $team_id, owner_of: user})
  USING INDEX SEEK n:Person(team_id, owner_of)
  RETURN n
  UNION
  UNWIND $entity_keys AS key
  MATCH (n:Person {team_id: $team_id, former_key: key})
  USING INDEX SEEK n:Person(team_id, former_key)
  RETURN n
  UNION
  UNWIND $entity_keys AS key
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into IS NOT NULL
  WITH d.merged_into AS other
  MATCH (n:Memory {team_id: $team_id, entity_key: other})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
}
REMOVE n:Former
WITH n
WHERE n:Memory
RETURN labels(n) AS labels,
  [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'near'] | [name, n[name]]] AS properties,
  null AS end
LIMIT 100000
UNION ALL
CALL () {
  UNWIND $ends AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
  UNION
  UNWIND $ends AS key
  MATCH (n:Person {team_id: $team_id, former_key: key})
  USING INDEX SEEK n:Person(team_id, former_key)
  RETURN n
  UNION
  UNWIND $ends AS key
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.merged_into IS NOT NULL
  WITH d.merged_into AS other
  MATCH (n:Memory {team_id: $team_id, entity_key: other})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n
}
REMOVE n:Former
WITH n
WHERE n:Memory
RETURN labels(n) AS labels,
  null AS properties,
  [n.entity_key, n.user_id, n.is_owner, n.started_at, n.content_type, n.project_id,
    n.state, n.ttl_policy, n.salience, n.salience_at, n.decay_rate, n.ends_at, n.expires_at, n.confidence, n.access_count, n.recall_frequency,
    n.decay_gradient, n.last_recall_interval, n.last_accessed_at, n.source_count, n.ranked, n.former_key, n.merged_keys] AS end
LIMIT 100000
UNION ALL
UNWIND $entity_keys AS key
MATCH (n:Deleted {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Deleted(team_id, entity_key)
RETURN null AS labels,
  null AS properties,
  [n.entity_key, coalesce(n.user_id, '')] AS end
LIMIT 100000
UNION ALL
UNWIND $own_users AS row
OPTIONAL MATCH (o:Person {team_id: $team_id, owner_of: row.user_id})
USING INDEX SEEK o:Person(team_id, owner_of)
WITH row, o
WHERE o IS NULL
OPTIONAL MATCH (n:Memory {team_id: $team_id, natural_key: row.natural_key})
USING INDEX SEEK n:Memory(team_id, natural_key)
RETURN null AS labels,
  [row.user_id, n IS NOT NULL] AS properties,
  null AS end
LIMIT 100000
