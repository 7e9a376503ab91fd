// Stores that a system has changed, and the next number of its entities and relationships.
// mode: write
// params: team_id, system, next_seq, now
// returns: version
MATCH (s:System {team_id: $team_id, name: $system})
SET s.next_seq = $next_seq, s.version = s.version + 1, s.updated_at = $now
RETURN s.version AS version
