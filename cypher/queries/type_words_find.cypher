// Returns a team's own relationship types, after the rows of relationship_find: one row at position -1; none without
// such words.
// mode: read
// params: team_id
// returns: position, properties
MATCH (w:TypeWords {team_id: $team_id})
RETURN -1 AS position,
  w.words AS properties
LIMIT 1
