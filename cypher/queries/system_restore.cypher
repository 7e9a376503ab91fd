// Makes systems know the numbers of entities and relationships that were restored.
// mode: write
// params: team_id, rows, now
// returns: systems
UNWIND $rows AS row
MERGE (s:System {team_id: $team_id, name: row.system})
ON CREATE SET s.next_seq = 0, s.version = 0, s.created_at = $now
SET s.next_seq = CASE WHEN s.next_seq > row.seq THEN s.next_seq ELSE row.seq + 1 END
RETURN count(s) AS systems
