// Finds some of a user's statements by key, with all that a change needs. Locks them until the transaction ends.
// mode: write
// params: team_id, user_id, keys
// returns: key, topic, subject, text, negative, state, kind, confidence, renewals, at, renewed_at, valid_to
UNWIND $keys AS key
MATCH (x:Statement {team_id: $team_id, key: key})
USING INDEX SEEK x:Statement(team_id, key)
WHERE x.user_id = $user_id
SET x:Statement
RETURN x.key AS key,
  x.topic AS topic,
  x.subject AS subject,
  x.text AS text,
  x.negative AS negative,
  x.state AS state,
  x.kind AS kind,
  x.confidence AS confidence,
  x.renewals AS renewals,
  x.at AS at,
  x.renewed_at AS renewed_at,
  x.valid_to AS valid_to
LIMIT 1000
