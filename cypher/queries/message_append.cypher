// Appends messages to their sources in the given order, numbered after all that a source has or had. The words of neighbours
// (message_near.cypher) come with the rows as far as the neighbours are new; the last two messages of a source get the words of
// the new ones, and these theirs.
// mode: write
// params: team_id, sources, rows, now
// returns: appended
UNWIND $sources AS source
MATCH (s:Memory:Source {team_id: $team_id, entity_key: source.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
SET s.updated_at = $now, s.least_trust = CASE WHEN source.least < coalesce(s.least_trust, 1.0) THEN source.least ELSE s.least_trust END
WITH s, source, coalesce(s.next_seq, s.message_count, 0) AS first
CALL (s, first) {
  MATCH (m:Message {team_id: $team_id, source_key: s.entity_key})
  USING INDEX SEEK m:Message(team_id, source_key, seq)
  WHERE m.seq >= first - 2
    AND m.seq < first
  WITH m
  ORDER BY m.seq
  RETURN collect(m) AS last
}
FOREACH (m IN last |
  SET m.near = reduce(all = coalesce(m.near, ''), position IN range(0, m.seq - first + 2) | all + CASE
    WHEN position < source.count THEN left($rows[source.from + position].properties.text, 2000) + '\n'
    ELSE ''
  END)
)
WITH s, source, first, [m IN last | {seq: m.seq, text: left(m.text, 2000) + '\n'}] AS last
CALL (s, source, first, last) {
  UNWIND range(0, source.count - 1) AS position
  WITH s, last, first + position AS seq, $rows[source.from + position] AS row
  CREATE (m:Memory:Message {team_id: $team_id, entity_key: row.entity_key})
  SET m += row.properties, m.seq = seq,
    m.near = reduce(all = '', before IN last | all + CASE WHEN before.seq >= seq - 2 THEN before.text ELSE '' END) + row.properties.near
  CREATE (s)-[:has_message {team_id: $team_id}]->(m)
  RETURN count(m) AS appended
}
SET s.message_count = coalesce(s.message_count, 0) + appended,
  s.next_seq = CASE WHEN s.next_seq IS NOT NULL THEN first + appended END
RETURN sum(appended) AS appended
