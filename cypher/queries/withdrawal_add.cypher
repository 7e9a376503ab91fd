// Records a part of what was withdrawn with a source, so that it can be undone.
// mode: write
// params: team_id, user_id, source_key, part, nodes, relationships, lowered, now
// returns: part
CREATE (w:Withdrawal {team_id: $team_id, user_id: $user_id, source_key: $source_key, part: $part, nodes: $nodes,
  relationships: $relationships, lowered: $lowered, at: $now})
RETURN w.part AS part
