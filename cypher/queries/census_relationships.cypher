// Returns the current relationships from nodes that a team shares and that a user has, to nodes that the user may see:
// from the first $most nodes of each list of natural keys, the first $each of a node.
// mode: read
// params: team_id, user_id, prefixes, most, each, now
// returns: from, type, to, count, part
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (n:Memory {team_id: $team_id})
  USING INDEX SEEK n:Memory(team_id, natural_key)
  WHERE n.natural_key STARTS WITH prefix
  RETURN n
  LIMIT $most
}
CALL (n) {
  MATCH (n)-[r]->(m:Memory {team_id: $team_id})
  WITH r, m
  LIMIT $each
  WITH collect([r, m]) AS looked
  UNWIND looked AS step
  WITH looked, step[0] AS r, step[1] AS m
  WHERE coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
  RETURN coalesce(r.type_word, type(r)) AS type, labels(m) AS to, size(looked) >= $each AS cut
}
WITH labels(n) AS from, type, to, count(*) AS count, count(CASE WHEN cut THEN 1 END) > 0 AS part
ORDER BY count DESC, type, from, to
LIMIT 1000
RETURN from, type, to, count, part
LIMIT 1000
