// Appends messages to a source in the given order, numbered after all that it has or had.
// mode: write
// params: team_id, source_key, rows, now
// returns: first, appended
MATCH (s:Memory:Source {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
SET s.updated_at = $now
WITH s, coalesce(s.next_seq, s.message_count, 0) AS first
CALL (s, first) {
  UNWIND range(0, size($rows) - 1) AS position
  WITH s, first + position AS seq, $rows[position] AS row
  CREATE (m:Memory:Message {team_id: $team_id, entity_key: row.entity_key})
  SET m += row.properties, m.seq = seq
  CREATE (s)-[:has_message {team_id: $team_id}]->(m)
  RETURN count(m) AS appended
}
SET s.message_count = coalesce(s.message_count, 0) + appended,
  s.next_seq = CASE WHEN s.next_seq IS NOT NULL THEN first + appended END
RETURN first,
  appended
