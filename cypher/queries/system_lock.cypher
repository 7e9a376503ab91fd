// Locks a system until the transaction ends, so that its writers are serialized. Creates a missing system with version
// 0.
// mode: write
// params: team_id, system, now
// returns: next_seq, version, updated_at
MERGE (s:System {team_id: $team_id, name: $system})
ON CREATE SET s.next_seq = 0, s.version = 0, s.created_at = $now
SET s.locked = true
RETURN s.next_seq AS next_seq,
  s.version AS version,
  coalesce(s.updated_at, $now) AS updated_at
