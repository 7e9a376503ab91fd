// Adds messages with their former numbers. Their sources count them, and reuse none of these numbers.
// mode: write
// params: team_id, rows
// returns: restored
UNWIND $rows AS row
MATCH (s:Memory {team_id: $team_id, entity_key: row.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CREATE (m:Memory:Message {team_id: $team_id, entity_key: row.entity_key})
SET m += row.properties
CREATE (s)-[:has_message {team_id: $team_id}]->(m)
WITH s, count(m) AS restored, max(m.seq) + 1 AS after
SET s.message_count = coalesce(s.message_count, 0) + restored
SET s.next_seq = CASE WHEN after > coalesce(s.next_seq, s.message_count) THEN after ELSE s.next_seq END
RETURN sum(restored) AS restored
