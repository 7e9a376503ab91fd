// Returns messages by their keys: source, number, role, name, text and time, the data of their source's state, their trust, and the
// origin of their source.
// mode: read
// plan: kept
// params: team_id, user_id, message_keys
// returns: messages
UNWIND $message_keys AS key
MATCH (m:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK m:Memory(team_id, entity_key)
WHERE (m.user_id IS NULL OR m.user_id = $user_id)
  AND m:Message
OPTIONAL MATCH (s:Memory {team_id: $team_id, entity_key: m.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
RETURN collect([m.entity_key, m.source_key, m.seq, m.role, m.name, m.text, m.at.epochMillis,
  s.salience, s.decay_rate, s.salience_at, s.state, s.ends_at, m.trust, s.origin]) AS messages
LIMIT 1
