// Returns the messages of a source from number $from on, oldest first.
// mode: read
// params: team_id, source_key, from, limit
// returns: messages
MATCH (m:Message {team_id: $team_id, source_key: $source_key})
USING INDEX SEEK m:Message(team_id, source_key, seq)
WHERE m.seq >= $from
WITH m
ORDER BY m.team_id, m.source_key, m.seq
LIMIT $limit
RETURN collect([m.entity_key, m.seq, m.role, m.name, m.text, m.at]) AS messages
