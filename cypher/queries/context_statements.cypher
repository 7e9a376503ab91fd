// Returns what the user said to remember and nothing closed: standing instructions and preferences, then facts and plans, each the
// highest rank first. Statements of deleted messages are omitted.
// mode: read
// plan: kept
// params: team_id, user_id, until
// returns: statements
CALL () {
  MATCH (x:Statement {team_id: $team_id, user_id: $user_id, shown: 'standing'})
  USING INDEX SEEK x:Statement(team_id, user_id, shown, rank, key)
  WHERE x.rank IS NOT NULL
    AND x.key IS NOT NULL
    AND x.at <= $until
    AND EXISTS { (m:Memory {team_id: $team_id, entity_key: x.message_key}) }
  WITH x
  ORDER BY x.team_id DESC, x.user_id DESC, x.shown DESC, x.rank DESC, x.key DESC
  LIMIT 50
  RETURN x
  UNION ALL
  MATCH (x:Statement {team_id: $team_id, user_id: $user_id, shown: 'facts'})
  USING INDEX SEEK x:Statement(team_id, user_id, shown, rank, key)
  WHERE x.rank IS NOT NULL
    AND x.key IS NOT NULL
    AND x.at <= $until
    AND EXISTS { (m:Memory {team_id: $team_id, entity_key: x.message_key}) }
  WITH x
  ORDER BY x.team_id DESC, x.user_id DESC, x.shown DESC, x.rank DESC, x.key DESC
  LIMIT 60
  RETURN x
}
RETURN collect([
  x.key, x.kind, x.text, x.negative, x.state, x.confidence, x.renewals, x.source_key, x.message_key, x.from, x.to, x.at.epochMillis,
  x.valid_to.epochMillis
]) AS statements
