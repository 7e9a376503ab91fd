// Returns the next free message number of a source, and which of some numbers its messages have. The writer holds the
// source's lock.
// mode: read
// params: team_id, source_key, numbers
// returns: next, taken
MATCH (s:Memory:Source {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CALL (s) {
  UNWIND $numbers AS number
  MATCH (m:Message {team_id: $team_id, source_key: s.entity_key, seq: number})
  USING INDEX SEEK m:Message(team_id, source_key, seq)
  RETURN collect(DISTINCT number) AS taken
}
RETURN coalesce(s.next_seq, s.message_count, 0) AS next,
  taken
LIMIT 1
