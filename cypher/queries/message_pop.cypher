// Deletes the last messages of a source, as node_delete does, and returns them, newest first.
// mode: write
// params: team_id, source_key, limit, now, user_id
// returns: messages
MATCH (s:Memory:Source {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CALL (s) {
  MATCH (m:Message {team_id: $team_id, source_key: s.entity_key})
  USING INDEX SEEK m:Message(team_id, source_key, seq)
  WHERE m.seq IS NOT NULL
  WITH m
  ORDER BY m.team_id DESC, m.source_key DESC, m.seq DESC
  LIMIT $limit
  RETURN collect(m) AS last
}
SET s.updated_at = $now,
  s.next_seq = coalesce(s.next_seq, s.message_count),
  s.message_count = s.message_count - size(last)
WITH last, [m IN last | [m.entity_key, m.seq, m.role, m.name, m.text, m.at, m.parts, m.trust]] AS messages
FOREACH (m IN last |
  REMOVE m:Memory:Message
  SET m:Deleted, m.near = null, m.vector = null, m.vector_scope = null, m.vector_seq = null, m.embed_due = null, m.deleted_kind = 'message',
    m.deleted_at = CASE WHEN m.restored_at > $now.epochMillis THEN datetime({epochMillis: m.restored_at}) ELSE $now END, m.deleted_by = $user_id)
RETURN messages
