// Returns which of some sources have a wrong count or numbering of messages.
// mode: read
// params: team_id, entity_keys
// returns: entity_key, miscounted, misnumbered
UNWIND $entity_keys AS key
MATCH (s:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CALL (s) {
  MATCH (s)-[:has_message]->(m:Message)
  RETURN count(DISTINCT m) AS messages,
    count(DISTINCT m.seq) AS numbers,
    min(m.seq) AS first,
    max(m.seq) AS last
}
WITH s, messages, coalesce(s.message_count, 0) <> messages AS miscounted,
  messages > 0 AND (numbers <> messages OR first < 0
    OR s.next_seq IS NULL AND last <> messages - 1 OR last >= s.next_seq) AS misnumbered
WHERE miscounted
  OR misnumbered
RETURN s.entity_key AS entity_key,
  miscounted,
  coalesce(misnumbered, false) AS misnumbered
LIMIT 100000
