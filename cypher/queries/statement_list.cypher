// Returns a user's statements by key, after a key: those of the given kinds and states (null: all), with closed ones if asked.
// mode: read
// params: team_id, user_id, after, kinds, states, closed, limit
// returns: key, kind, text, negative, state, confidence, renewals, source_key, message_key, from, to, at, valid_to
MATCH (x:Statement {team_id: $team_id, user_id: $user_id})
USING INDEX SEEK x:Statement(team_id, user_id, key)
WHERE x.key > $after
  AND ($kinds IS NULL OR x.kind IN $kinds)
  AND ($states IS NULL OR x.state IN $states)
  AND ($closed OR x.valid_to IS NULL)
WITH x
ORDER BY x.team_id, x.user_id, x.key
LIMIT $limit
RETURN x.key AS key,
  x.kind AS kind,
  x.text AS text,
  x.negative AS negative,
  x.state AS state,
  x.confidence AS confidence,
  x.renewals AS renewals,
  x.source_key AS source_key,
  x.message_key AS message_key,
  x.from AS from,
  x.to AS to,
  x.at AS at,
  x.valid_to AS valid_to
