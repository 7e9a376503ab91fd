// Recounts the messages of a source.
// mode: write
// params: team_id, entity_key
// returns: repaired
MATCH (s:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
SET s.team_id = $team_id
WITH s
SET s.message_count = COUNT { (s)-[:has_message]->(:Message) }
RETURN count(s) AS repaired
