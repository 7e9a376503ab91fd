// Returns a write that waits for a decision, or about which one was made, of a user or of anybody in a team ($user_id is null).
// mode: read
// params: team_id, user_id, key
// returns: key, user_id, state, origin, author, trust, sources, body, created_at, decided_at
MATCH (w:Review {team_id: $team_id, key: $key})
USING INDEX SEEK w:Review(team_id, key)
WHERE $user_id IS NULL
  OR w.user_id = $user_id
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
LIMIT 1
