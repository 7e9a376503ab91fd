// Returns a page of what a team's users said to remember, by user and key, after the given ones: the rest of that user, then later
// users. Both walk the index, which orders by code points. Statements of deleted messages are omitted, as in contexts.
// mode: read
// params: team_id, after_user, after_key, limit
// returns: same_user, later_users
CALL () {
  MATCH (x:Statement {team_id: $team_id, user_id: $after_user})
  USING INDEX SEEK x:Statement(team_id, user_id, key)
  WHERE x.key > $after_key
    AND EXISTS { (m:Memory {team_id: $team_id, entity_key: x.message_key}) }
  WITH x
  ORDER BY x.team_id, x.user_id, x.key
  LIMIT $limit
  RETURN collect([
    x.user_id, x.key, x.kind, x.text, x.negative, x.state, x.confidence, x.renewals, x.renewed_at, x.source_key, x.message_key, x.from, x.to,
    x.at, x.valid_to, x.subject, x.topic
  ]) AS same_user
}
CALL () {
  MATCH (x:Statement {team_id: $team_id})
  USING INDEX SEEK x:Statement(team_id, user_id, key)
  WHERE x.user_id > $after_user
    AND x.key IS NOT NULL
    AND EXISTS { (m:Memory {team_id: $team_id, entity_key: x.message_key}) }
  WITH x
  ORDER BY x.team_id, x.user_id, x.key
  LIMIT $limit
  RETURN collect([
    x.user_id, x.key, x.kind, x.text, x.negative, x.state, x.confidence, x.renewals, x.renewed_at, x.source_key, x.message_key, x.from, x.to,
    x.at, x.valid_to, x.subject, x.topic
  ]) AS later_users
}
RETURN same_user,
  later_users
