// Returns how far some teams were looked through for duplicates, for those of which something is left: the next commit and its item, and the
// key of the last node of the first look. first is null after that look, and next_seq before it. tries is how often looking further failed.
// mode: read
// scope: server
// params: teams, limit
// returns: team, next_seq, next_item, first, tries
UNWIND $teams AS team
MATCH (f:Feed {team_id: team})
USING INDEX SEEK f:Feed(team_id)
OPTIONAL MATCH (l:DuplicateLook {team_id: team})
WITH f, l
WHERE l IS NULL OR l.first IS NOT NULL OR l.next_seq <= f.seq
RETURN f.team_id AS team,
  l.next_seq AS next_seq,
  l.next_item AS next_item,
  CASE WHEN l IS NULL THEN '' ELSE l.first END AS first,
  l.tries AS tries
LIMIT $limit
