// Gives messages of a source the words of those before and after them, which often say what they are about. A message
// that is deleted is near no other.
// mode: write
// params: team_id, source_key, numbers
// returns: near
UNWIND $numbers AS seq
MATCH (m:Message {team_id: $team_id, source_key: $source_key, seq: seq})
USING INDEX SEEK m:Message(team_id, source_key, seq)
OPTIONAL MATCH (before:Message {team_id: $team_id, source_key: $source_key, seq: seq - 1})
USING INDEX SEEK before:Message(team_id, source_key, seq)
OPTIONAL MATCH (after:Message {team_id: $team_id, source_key: $source_key, seq: seq + 1})
USING INDEX SEEK after:Message(team_id, source_key, seq)
SET m.near = left(coalesce(before.text, ''), 2000) + '\n' + left(coalesce(after.text, ''), 2000)
RETURN count(m) AS near
