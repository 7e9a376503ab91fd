// Keeps how far an import has come.
// mode: write
// params: team_id, import_id, user_id, seq, report, now
// returns: seq
MERGE (i:Import {team_id: $team_id, import_id: $import_id})
ON CREATE SET i.created_at = $now
SET i.seq = $seq, i.report = $report, i.user_id = $user_id, i.updated_at = $now
RETURN i.seq AS seq
