// Deletes a part of what was withdrawn with a source, when it was undone.
// mode: write
// params: team_id, source_key, part
// returns: deleted
MATCH (w:Withdrawal {team_id: $team_id, source_key: $source_key, part: $part})
USING INDEX SEEK w:Withdrawal(team_id, source_key, part)
DELETE w
RETURN count(*) AS deleted
