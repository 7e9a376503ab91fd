// Returns the last messages of a source, without their parts, newest first.
// mode: read
// params: team_id, source_key, limit
// returns: messages
MATCH (m:Message {team_id: $team_id, source_key: $source_key})
USING INDEX SEEK m:Message(team_id, source_key, seq)
WHERE m.seq IS NOT NULL
WITH m
ORDER BY m.team_id DESC, m.source_key DESC, m.seq DESC
LIMIT $limit
RETURN collect([m.entity_key, m.seq, m.role, m.name, m.text, m.at, null, m.trust]) AS messages
