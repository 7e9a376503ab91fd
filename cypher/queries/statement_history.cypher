// Returns a page of the versions of a user's statement, the newest first: those that ended before a time. The stored one has not ended.
// since: when the version was written.
// mode: read
// params: team_id, user_id, key, before, limit
// returns: key, kind, text, negative, state, confidence, renewals, source_key, message_key, from, to, at, valid_to, since, until, written
CALL () {
  MATCH (x:Statement {team_id: $team_id, key: $key})
  USING INDEX SEEK x:Statement(team_id, key)
  RETURN x, 9007199254740991 AS until
  UNION ALL
  MATCH (x:Former {team_id: $team_id, former_of: $key})
  USING INDEX SEEK x:Former(team_id, former_of, until)
  WHERE x.until IS NOT NULL AND x.former_kind = 'statement'
  RETURN x, x.until AS until
}
WITH x, until
WHERE x.user_id = $user_id AND until < $before
WITH x, until
ORDER BY until DESC
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
  x.valid_to AS valid_to,
  x.updated_at AS since,
  until,
  x.written AS written
LIMIT 1000
