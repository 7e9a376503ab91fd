// Returns a page of the pairs of nodes of a team that somebody has said are two, by pair.
// mode: read
// params: team_id, after, limit
// returns: pair, first_key, second_key, refused_at
MATCH (d:DuplicateRefusal {team_id: $team_id})
USING INDEX SEEK d:DuplicateRefusal(team_id, pair)
WHERE d.pair > $after
WITH d
ORDER BY d.team_id, d.pair
LIMIT $limit
RETURN d.pair AS pair,
  d.first_key AS first_key,
  d.second_key AS second_key,
  d.refused_at AS refused_at
