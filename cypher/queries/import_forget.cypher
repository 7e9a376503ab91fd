// Removes the record of a finished import.
// mode: write
// params: team_id, import_id
// returns: forgotten
MATCH (i:Import {team_id: $team_id, import_id: $import_id})
DELETE i
RETURN count(*) AS forgotten
