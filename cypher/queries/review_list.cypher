// Returns a page of the writes of a state, of a user or of all of a team ($user_id is null), the newest first. Keys sort by time.
// mode: read
// params: team_id, user_id, state, before, limit
// returns: key, user_id, state, origin, author, trust, sources, body, created_at, decided_at
CALL () {
  WITH 1 AS one
  WHERE $user_id IS NOT NULL
  MATCH (w:Review {team_id: $team_id, user_id: $user_id, state: $state})
  USING INDEX SEEK w:Review(team_id, user_id, state, key)
  WHERE w.key < $before
  WITH w
  ORDER BY w.team_id DESC, w.user_id DESC, w.state DESC, w.key DESC
  LIMIT $limit
  RETURN w
  UNION ALL
  WITH 1 AS one
  WHERE $user_id IS NULL
  MATCH (w:Review {team_id: $team_id, state: $state})
  USING INDEX SEEK w:Review(team_id, state, key)
  WHERE w.key < $before
  WITH w
  ORDER BY w.team_id DESC, w.state DESC, w.key DESC
  LIMIT $limit
  RETURN w
}
WITH w
ORDER BY w.key DESC
LIMIT $limit
RETURN w.key AS key,
  w.user_id AS user_id,
  w.state AS state,
  w.origin AS origin,
  w.author AS author,
  w.trust AS trust,
  w.sources AS sources,
  w.body AS body,
  w.created_at AS created_at,
  w.decided_at AS decided_at
