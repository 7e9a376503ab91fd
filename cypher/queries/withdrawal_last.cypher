// Returns the last part of what was withdrawn with a source.
// mode: read
// params: team_id, source_key
// returns: part, user_id, nodes, relationships, lowered
MATCH (w:Withdrawal {team_id: $team_id, source_key: $source_key})
USING INDEX SEEK w:Withdrawal(team_id, source_key, part)
WHERE w.part IS NOT NULL
WITH w
ORDER BY w.team_id DESC, w.source_key DESC, w.part DESC
LIMIT 1
RETURN w.part AS part,
  w.user_id AS user_id,
  w.nodes AS nodes,
  w.relationships AS relationships,
  w.lowered AS lowered
