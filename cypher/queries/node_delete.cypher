// Deletes nodes: removes their labels, and so their place in every index and every read. All else but a vector is kept
// until a node is restored or purged. The messages of a source are deleted with it, and the mention counts of what it
// mentioned, deleted or not, decrease. Its relationships stay, but count for no context. Whatever the clocks say, it is deleted after its
// last version, and after an earlier node with its key: a restore brings back the last one. Of more than 10,000 relationships, those to nodes
// that are deleted already count too.
// mode: write
// params: team_id, rows, now, user_id
// returns: relationships, messages
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WITH n, row, COUNT { (n)--() } AS degree
CALL (n, degree) {
  WITH n, degree
  WHERE degree <= 10000
  MATCH (n)-[r {team_id: $team_id}]-(m:Memory)
  WHERE type(r) <> 'has_message'
  RETURN count(r) AS counted
}
CALL (n) {
  WITH n
  WHERE n.owner_of IS NOT NULL
  MATCH (n)-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to {team_id: $team_id}]-()
  WHERE r.owner_key IS NOT NULL
  SET r.owner_key = null, r.node_salience = null, r.node_until = null
  RETURN count(r) AS owned
}
CALL (n) {
  MATCH ()-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to {team_id: $team_id, node_key: n.entity_key}]->()
  SET r.owner_key = null, r.node_salience = null, r.node_until = null
  RETURN count(r) AS ranked
}
CALL (n) {
  MATCH (n)-[:mentions {team_id: $team_id}]->(m)
  SET m.source_count = m.source_count - 1
  RETURN count(m) AS mentioned
}
CALL (n) {
  MATCH (n)-[:has_message {team_id: $team_id}]->(m:Message)
  REMOVE m:Memory:Message
  SET m:Deleted, m.vector = null, m.vector_scope = null, m.vector_seq = null, m.embed_due = null,
    m.deleted_kind = 'message', m.deleted_at = $now, m.deleted_with = n.entity_key
  RETURN count(m) AS messages
}
CALL (n) {
  MATCH (s:Source)-[:has_message {team_id: $team_id}]->(n)
  SET s.next_seq = coalesce(s.next_seq, s.message_count), s.message_count = s.message_count - 1
  RETURN count(s) AS sources
}
CALL (n) {
  OPTIONAL MATCH (f:Former {team_id: $team_id, former_of: n.entity_key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until IS NOT NULL
  WITH f
  ORDER BY f.team_id DESC, f.former_of DESC, f.until DESC
  LIMIT 1
  RETURN reduce(last = 0, at IN [f.until, n.restored_at, n.created_at.epochMillis] | CASE WHEN at > last THEN at ELSE last END) AS last
}
CALL (n) {
  OPTIONAL MATCH (d:Deleted {team_id: $team_id, entity_key: n.entity_key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  RETURN max(d.deleted_at).epochMillis + 1 AS next
}
WITH n, row, messages, CASE WHEN degree <= 10000 THEN counted ELSE degree - COUNT { (n)-[:has_message]-() } END AS relationships, reduce(latest = $now.epochMillis, at IN [last, next] | CASE WHEN at > latest THEN at ELSE latest END) AS at
REMOVE n:Memory:$(row.label)
SET n:Deleted, n.near = null, n.vector = null, n.vector_scope = null, n.vector_seq = null, n.embed_due = null,
  n.deleted_kind = row.kind, n.deleted_at = CASE WHEN at > $now.epochMillis THEN datetime({epochMillis: at}) ELSE $now END, n.deleted_by = $user_id
RETURN relationships, messages
LIMIT 100000
