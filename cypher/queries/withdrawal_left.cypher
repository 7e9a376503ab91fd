// Keeps what an undo has not yet restored of a part of what was withdrawn with a source.
// mode: write
// params: team_id, source_key, part, nodes, relationships, lowered
// returns: part
MATCH (w:Withdrawal {team_id: $team_id, source_key: $source_key, part: $part})
USING INDEX SEEK w:Withdrawal(team_id, source_key, part)
SET w.nodes = $nodes, w.relationships = $relationships, w.lowered = $lowered
RETURN w.part AS part
