// Returns what an import of statements must know: the stored ones with some keys, the open ones of some users about some topics, but
// not those in deleted messages, and the messages with some keys, each with the number of its characters. Locks the statements until the transaction ends,
// and their users, as statement_find does.
// mode: write
// params: team_id, keys, subjects, entity_keys
// returns: statements, open, messages
CALL () {
  UNWIND $subjects AS row
  WITH DISTINCT row.user AS user
  ORDER BY user
  MERGE (l:StatementLock {team_id: $team_id, user_id: user})
  DELETE l
  RETURN count(*) AS users
}
WITH users
CALL () {
  UNWIND $keys AS key
  MATCH (x:Statement {team_id: $team_id, key: key})
  USING INDEX SEEK x:Statement(team_id, key)
  SET x:Statement
  RETURN collect([
    x.user_id, x.key, x.kind, x.text, x.negative, x.state, x.confidence, x.renewals, x.renewed_at, x.source_key, x.message_key, x.from, x.to,
    x.at, x.valid_to, x.subject, x.topic
  ]) AS statements
}
CALL () {
  UNWIND $subjects AS row
  MATCH (x:Statement {team_id: $team_id, user_id: row.user, topic: row.topic})
  USING INDEX SEEK x:Statement(team_id, user_id, topic)
  WHERE x.valid_to IS NULL AND EXISTS { (:Memory {team_id: $team_id, entity_key: x.message_key}) }
  SET x:Statement
  WITH x
  WHERE x.valid_to IS NULL
  RETURN collect([
    x.user_id, x.key, x.kind, x.text, x.negative, x.state, x.confidence, x.renewals, x.renewed_at, x.source_key, x.message_key, x.from, x.to,
    x.at, x.valid_to, x.subject, x.topic
  ]) AS open
}
CALL () {
  UNWIND $entity_keys AS key
  MATCH (m:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK m:Memory(team_id, entity_key)
  WHERE m:Message
  RETURN collect([m.entity_key, m.user_id, m.source_key, m.role, size(m.text)]) AS messages
}
RETURN statements,
  open,
  messages
LIMIT 1
