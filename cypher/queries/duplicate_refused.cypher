// Lists pairs of nodes that somebody has said are two, of the memory that a user sees ($users, as in duplicate_list), by their keys. Pairs
// of which a node does not exist are omitted, but kept: it may be restored.
// mode: read
// params: team_id, users, kind, after, limit
// returns: pair, kind, refused_at, first, second
UNWIND $users AS of_user
CALL (of_user) {
  MATCH (d:DuplicateRefusal {team_id: $team_id, of_user: of_user})
  USING INDEX SEEK d:DuplicateRefusal(team_id, of_user, pair)
  WHERE d.pair > $after
    AND ($kind IS NULL OR d.kind = $kind)
  WITH d
  ORDER BY d.team_id, d.of_user, d.pair
  MATCH (a:Memory {team_id: $team_id, entity_key: d.first_key})
  USING INDEX SEEK a:Memory(team_id, entity_key)
  MATCH (b:Memory {team_id: $team_id, entity_key: d.second_key})
  USING INDEX SEEK b:Memory(team_id, entity_key)
  WHERE coalesce(a.user_id, '') = of_user
    AND coalesce(b.user_id, '') = of_user
  RETURN d, a, b
  LIMIT $limit
}
WITH d, a, b
ORDER BY d.pair
LIMIT $limit
RETURN d.pair AS pair,
  d.kind AS kind,
  d.refused_at AS refused_at,
  [a.entity_key, a.user_id, a.name, a.type, a.description] AS first,
  [b.entity_key, b.user_id, b.name, b.type, b.description] AS second
