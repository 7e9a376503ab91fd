// Restores for each row the node with its key that was deleted last and after $cutoff, with its messages; a message only when its
// source exists, and a merged node only if the row says so. What a source mentions counts it again, with its time. A constraint refuses it if its key or name is in use since. The version before the delete becomes a former one.
// Locks all nodes with the keys first, so that it waits for a delete or another restore and then sees what they left. raced: while it
// waited for the constraint's lock of the key, a later node with the key was deleted.
// mode: write
// params: team_id, user_id, rows, cutoff, now, thin_at
// returns: properties, relationships, raced
CALL () {
  UNWIND $rows AS row
  MATCH (held:Memory {team_id: $team_id, entity_key: row.entity_key})
  USING INDEX SEEK held:Memory(team_id, entity_key)
  RETURN held
  UNION
  UNWIND $rows AS row
  MATCH (held:Deleted {team_id: $team_id, entity_key: row.entity_key})
  USING INDEX SEEK held:Deleted(team_id, entity_key)
  RETURN held
}
REMOVE held:Former
WITH count(*) AS held
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
CREATE (f:Former {team_id: $team_id})
SET f = n{.*, notes: null, notes_expire_at: null, near: null, search_scope: null, search_name: null, ends_at: null, ranked: null, hub_key: null, hub_types: null, deleted_kind: null, deleted_at: null, deleted_by: null, merged_into: null, merge_undo: null,
  former_of: n.entity_key, former_kind: n.deleted_kind, until: n.deleted_at.epochMillis, thin_at: $thin_at}
SET n:Memory:$(row.label)
REMOVE n:Deleted
WITH n, row, f, n.deleted_at AS deleted_at
SET n.deleted_kind = null, n.deleted_at = null, n.deleted_by = null, n.embed_due = row.embed_due, n.updated_at = $now, n.restored_at = CASE WHEN f.until > $now.epochMillis THEN f.until ELSE $now.epochMillis END, n.version = coalesce(n.version, 1) + 1
WITH n, row, deleted_at
CALL (row, deleted_at) {
  OPTIONAL MATCH (d:Deleted {team_id: $team_id, entity_key: row.entity_key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  WHERE d.deleted_kind = row.kind
    AND d.deleted_at > deleted_at
    AND d.deleted_with IS NULL
    AND (d.user_id IS NULL OR d.user_id = $user_id)
  RETURN count(d) > 0 AS raced
}
CALL (n, row) {
  MATCH (n)-[:has_message {team_id: $team_id}]->(m:Deleted {deleted_with: n.entity_key})
  SET m:Memory:Message
  REMOVE m:Deleted
  SET m.deleted_kind = null, m.deleted_at = null, m.deleted_with = null, m.embed_due = row.embed_due
  RETURN count(m) AS messages
}
CALL (n) {
  MATCH (n)-[r:mentions {team_id: $team_id}]->(m)
  REMOVE m:Former
  WITH m, r.started_at AS at, substring(toString(r.started_at), 0, 10) AS day
  SET m.source_count = m.source_count + 1
  FOREACH (m IN CASE WHEN m.source_count IS NOT NULL AND at IS NOT NULL THEN [m] ELSE [] END | SET
    m.first_mentioned_at = CASE WHEN m.first_mentioned_at <= at THEN m.first_mentioned_at ELSE at END,
    m.last_mentioned_at = CASE WHEN m.last_mentioned_at >= at THEN m.last_mentioned_at ELSE at END,
    m.distinct_source_days = CASE WHEN day IN m.distinct_source_days THEN m.distinct_source_days ELSE
      [d IN coalesce(m.distinct_source_days, []) WHERE d < day] + day + [d IN coalesce(m.distinct_source_days, []) WHERE d > day] END)
  RETURN count(m) AS mentioned
}
CALL (n) {
  MATCH (s:Source)-[:has_message {team_id: $team_id}]->(n)
  REMOVE s:Former
  WITH s
  SET s.message_count = s.message_count + 1
  RETURN count(s) AS sources
}
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]-(m:Memory)
  RETURN count(r) AS relationships
}
RETURN [name IN keys(n) WHERE NOT name IN ['vector', 'vector_scope', 'vector_seq', 'embed_due', 'near', 'search_scope'] | [name, n[name]]] AS properties,
  relationships,
  raced
LIMIT 100000
