// Lists pairs of nodes that may be one, of the memory that a user sees ($users: '' for what the team shares, and the user), the most
// probable first. Pairs of which a node was deleted, merged or given to somebody else meanwhile are omitted.
// mode: read
// params: team_id, users, kind, min_probability, before, after, limit
// returns: pair, kind, probability, reasons, weights, proposed_at, first, second
UNWIND $users AS of_user
CALL (of_user) {
  MATCH (d:Duplicate {team_id: $team_id, of_user: of_user})
  USING INDEX SEEK d:Duplicate(team_id, of_user, probability, pair)
  WHERE d.probability >= $min_probability
    AND d.probability <= $before
    AND (d.probability < $before OR d.pair < $after)
    AND d.pair IS NOT NULL
    AND ($kind IS NULL OR d.kind = $kind)
  WITH d
  ORDER BY d.team_id DESC, d.of_user DESC, d.probability DESC, d.pair DESC
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
ORDER BY d.probability DESC, d.pair DESC
LIMIT $limit
RETURN d.pair AS pair,
  d.kind AS kind,
  d.probability AS probability,
  d.reasons AS reasons,
  d.weights AS weights,
  d.proposed_at AS proposed_at,
  [a.entity_key, a.user_id, a.name, a.type, a.description] AS first,
  [b.entity_key, b.user_id, b.name, b.type, b.description] AS second
