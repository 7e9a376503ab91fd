// Returns the next free message number of each source, and which of some numbers its messages have. The writer holds the locks of
// the sources.
// mode: read
// params: team_id, sources
// returns: source_key, next, taken
UNWIND $sources AS source
MATCH (s:Memory:Source {team_id: $team_id, entity_key: source.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CALL (s, source) {
  UNWIND source.numbers AS number
  MATCH (m:Message {team_id: $team_id, source_key: s.entity_key, seq: number})
  USING INDEX SEEK m:Message(team_id, source_key, seq)
  RETURN collect(DISTINCT number) AS taken
}
RETURN s.entity_key AS source_key,
  coalesce(s.next_seq, s.message_count, 0) AS next,
  taken
LIMIT size($sources)
