// Returns the messages of a source from number $from on, oldest first, until their parts have $size characters.
// mode: read
// params: team_id, source_key, from, limit, size
// returns: messages
MATCH (m:Message {team_id: $team_id, source_key: $source_key})
USING INDEX SEEK m:Message(team_id, source_key, seq)
WHERE m.seq >= $from
WITH m
ORDER BY m.team_id, m.source_key, m.seq
LIMIT $limit
WITH collect(m) AS found
WITH found[..reduce(kept = [0, 0], m IN found | CASE WHEN kept[1] > $size THEN kept ELSE [kept[0] + 1, kept[1] + coalesce(size(m.parts), 0)] END)[0]] AS kept
RETURN [m IN kept | [m.entity_key, m.seq, m.role, m.name, m.text, m.at, m.parts, m.trust]] AS messages
