// Returns the progress of an import.
// mode: read
// params: team_id, import_id
// returns: seq, report
MATCH (i:Import {team_id: $team_id, import_id: $import_id})
RETURN i.seq AS seq,
  i.report AS report
LIMIT 1
