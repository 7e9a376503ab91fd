// Adds to messages of sources the words of their neighbours, two before and two after, which often name their subject.
// A deleted message is no neighbour.
// mode: write
// params: team_id, sources
// returns: near
UNWIND $sources AS source
UNWIND source.numbers AS seq
MATCH (m:Message {team_id: $team_id, source_key: source.source_key, seq: seq})
USING INDEX SEEK m:Message(team_id, source_key, seq)
CALL (source, seq) {
  MATCH (w:Message {team_id: $team_id, source_key: source.source_key})
  USING INDEX SEEK w:Message(team_id, source_key, seq)
  WHERE w.seq >= seq - 2
    AND w.seq <= seq + 2
  WITH w
  ORDER BY w.seq
  RETURN collect(left(w.text, 2000)) AS texts
}
SET m.near = reduce(all = '', text IN texts | all + text + '\n')
RETURN count(m) AS near
