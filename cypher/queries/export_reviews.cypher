// Returns a page of the writes of a team that wait for a decision, or about which one was made, by key.
// mode: read
// params: team_id, after, limit
// returns: key, user_id, state, origin, author, trust, sources, body, created_at, decided_at
MATCH (w:Review {team_id: $team_id})
USING INDEX SEEK w:Review(team_id, key)
WHERE w.key > $after
WITH w
ORDER BY w.team_id, w.key
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
