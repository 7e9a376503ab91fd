// Returns a user's statements as they were at a time, by key, after a key, as statement_list does: of each the version that was replaced
// first after the time, else the stored one. If that was written later, the last one that is kept from before, or else it without a text.
// mode: read
// params: team_id, user_id, after, kinds, states, closed, at, limit
// returns: key, kind, text, negative, state, confidence, renewals, source_key, message_key, from, to, at, valid_to
MATCH (s:Statement {team_id: $team_id, user_id: $user_id})
USING INDEX SEEK s:Statement(team_id, user_id, key)
WHERE s.key > $after
  AND s.created_at.epochMillis <= $at
CALL (s) {
  OPTIONAL MATCH (f:Former {team_id: $team_id, former_of: s.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until > $at AND f.former_kind = 'statement' AND f.user_id = $user_id
  WITH f
  ORDER BY f.until
  LIMIT 1
  RETURN f
}
WITH s, coalesce(f, s) AS x
CALL (s, x) {
  MATCH (b:Former {team_id: $team_id, former_of: s.key})
  USING INDEX SEEK b:Former(team_id, former_of, until)
  WHERE x.updated_at.epochMillis > $at AND b.until <= $at AND b.former_kind = 'statement' AND b.user_id = $user_id
  WITH b
  ORDER BY b.until DESC
  LIMIT 1
  RETURN collect(b) AS before
}
WITH s, coalesce(before[0], x) AS x
WITH s, x, coalesce(x.updated_at.epochMillis > $at, false) AS bare
WHERE ($kinds IS NULL OR x.kind IN $kinds)
  AND ($states IS NULL OR x.state IN $states)
  AND ($closed OR x.valid_to IS NULL)
WITH s, x, bare
ORDER BY s.team_id, s.user_id, s.key
LIMIT $limit
RETURN x.key AS key,
  x.kind AS kind,
  CASE WHEN bare THEN '' ELSE x.text END AS text,
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
