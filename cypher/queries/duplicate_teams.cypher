// Returns teams with nodes that were not looked at for duplicates yet, or not since their last change, by id, and how far each was looked
// through: the next commit and its item, and the key of the last node of the first look. first is null after that look, and next_seq
// before it.
// mode: read
// scope: server
// params: after, limit
// returns: team, next_seq, next_item, first
MATCH (f:Feed)
USING INDEX SEEK f:Feed(team_id)
WHERE f.team_id > $after
OPTIONAL MATCH (l:DuplicateLook {team_id: f.team_id})
WITH f, l
WHERE l IS NULL OR l.first IS NOT NULL OR l.next_seq <= f.seq
WITH f, l
ORDER BY f.team_id
LIMIT $limit
RETURN f.team_id AS team,
  l.next_seq AS next_seq,
  l.next_item AS next_item,
  CASE WHEN l IS NULL THEN '' ELSE l.first END AS first
