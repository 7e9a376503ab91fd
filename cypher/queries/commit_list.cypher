// Lists the commits of a team from one number to another, in order. One that a user may not see has its number only; with a null
// $user_id all can be seen.
// mode: read
// params: team_id, user_id, from_seq, to_seq, limit
// returns: seq, at, user_id, written, items, packed
MATCH (c:Commit {team_id: $team_id})
USING INDEX SEEK c:Commit(team_id, seq)
WHERE c.seq >= $from_seq
  AND c.seq <= $to_seq
WITH c
ORDER BY c.team_id, c.seq
LIMIT $limit
WITH c, $user_id IS NULL OR c.user_id IS NULL OR c.user_id = $user_id AS visible
RETURN c.seq AS seq,
  CASE WHEN visible THEN c.at END AS at,
  CASE WHEN visible THEN c.user_id END AS user_id,
  CASE WHEN visible THEN c.written END AS written,
  CASE WHEN visible THEN c.items END AS items,
  CASE WHEN visible THEN c.packed END AS packed
