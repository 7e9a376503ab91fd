// Notes the numbers that the next entities or relationships of systems get. The writer holds the systems.
// mode: write
// params: team_id, rows
// returns: systems
UNWIND $rows AS row
MATCH (s:System {team_id: $team_id, name: row.system})
SET s.next_seq = row.next_seq
RETURN count(s) AS systems
