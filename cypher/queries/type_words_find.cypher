// The words that a team has as relationship types of its own, behind the rows of relationship_find: one row at the position -1;
// none where it has no words.
// mode: read
// params: team_id
// returns: position, properties
MATCH (w:TypeWords {team_id: $team_id})
RETURN -1 AS position,
  w.words AS properties
LIMIT 1
