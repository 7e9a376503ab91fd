// Returns pairs of nodes that may be one and about which no model was asked yet, those that have waited longest first. Pairs of which a
// node was deleted, merged or given to somebody else meanwhile are omitted.
// mode: read
// scope: server
// params: above, limit
// returns: team, pair, kind, compared, reasons, weights, first, second
MATCH (d:Duplicate)
USING INDEX SEEK d:Duplicate(judge_from)
WHERE d.judge_from > $above
WITH d
ORDER BY d.judge_from
MATCH (a:Memory {team_id: d.team_id, entity_key: d.first_key})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: d.team_id, entity_key: d.second_key})
USING INDEX SEEK b:Memory(team_id, entity_key)
WHERE coalesce(a.user_id, '') = d.of_user
  AND coalesce(b.user_id, '') = d.of_user
RETURN d.team_id AS team,
  d.pair AS pair,
  d.kind AS kind,
  d.compared AS compared,
  d.reasons AS reasons,
  d.weights AS weights,
  [a.entity_key, a.user_id, a.name, a.type, a.description] AS first,
  [b.entity_key, b.user_id, b.name, b.type, b.description] AS second
LIMIT $limit
