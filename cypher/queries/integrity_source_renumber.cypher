// Renumbers the messages of a source in their current order.
// mode: write
// params: team_id, entity_key
// returns: repaired
MATCH (s:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
SET s.team_id = $team_id
WITH s
MATCH (s)-[:has_message]->(m:Message)
WITH s, m
ORDER BY m.seq, m.at, m.entity_key
WITH s, collect(DISTINCT m) AS messages
FOREACH (i IN range(0, size(messages) - 1) | FOREACH (m IN [messages[i]] | SET m.seq = i))
SET s.message_count = size(messages), s.next_seq = null
RETURN count(s) AS repaired
