// Serializes the imports of a team that bring keys of relationships or former versions. No caller's import has this id.
// mode: write
// params: team_id, now
// returns: locked
MERGE (i:Import {team_id: $team_id, import_id: ''})
ON CREATE SET i.created_at = $now
SET i.updated_at = $now
RETURN true AS locked
