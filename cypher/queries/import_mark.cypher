// Stores the progress of an import, if the stored mark is the one before it (none is 0); otherwise returns no row.
// mode: write
// params: team_id, import_id, user_id, after, seq, report, now
// returns: seq
MERGE (i:Import {team_id: $team_id, import_id: $import_id})
ON CREATE SET i.created_at = $now, i.seq = 0
SET i.team_id = $team_id
WITH i
WHERE i.seq = $after
SET i.seq = $seq, i.report = $report, i.user_id = $user_id, i.updated_at = $now
RETURN i.seq AS seq
