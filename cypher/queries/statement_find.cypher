// Finds the open statements of a user with some topics, with $all the 500 highest-ranked ones, but not those in deleted messages, when closed
// ones were last said and ended, by topic and subject, and whether Kith looks for none in a source. Locks them until the transaction
// ends, and the entry of a constraint (see schema/0025_statement_lock.cypher), so that no other message opens one meanwhile.
// mode: write
// params: team_id, user_id, source_key, topics, all
// returns: paused, statements, ended
MERGE (l:StatementLock {team_id: $team_id, user_id: $user_id})
DELETE l
WITH count(*) AS locks
CALL () {
  // The pause of the whole team. Equality would lock the entry of the constraint, and so messages of other users too.
  MATCH (p:StatementPause {team_id: $team_id})
  USING INDEX SEEK p:StatementPause(team_id, user_id)
  WHERE p.user_id <= ''
  RETURN count(p) AS pauses
  UNION ALL
  MATCH (p:StatementPause {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:StatementPause(team_id, user_id)
  RETURN count(p) AS pauses
  UNION ALL
  MATCH (s:Memory {team_id: $team_id, entity_key: $source_key})
  USING INDEX SEEK s:Memory(team_id, entity_key)
  RETURN count(s.statements_paused) AS pauses
}
WITH sum(pauses) > 0 AS paused
CALL () {
  CALL () {
    UNWIND $topics AS topic
    MATCH (x:Statement {team_id: $team_id, user_id: $user_id, topic: topic})
    USING INDEX SEEK x:Statement(team_id, user_id, topic)
    WHERE x.valid_to IS NULL AND EXISTS { (:Memory {team_id: $team_id, entity_key: x.message_key}) }
    RETURN x
    UNION
    UNWIND CASE WHEN $all THEN ['standing', 'facts'] ELSE [] END AS shown
    CALL (shown) {
      MATCH (x:Statement {team_id: $team_id, user_id: $user_id, shown: shown})
      USING INDEX SEEK x:Statement(team_id, user_id, shown, rank, key)
      WHERE x.rank IS NOT NULL
        AND x.key IS NOT NULL
        AND EXISTS { (:Memory {team_id: $team_id, entity_key: x.message_key}) }
      WITH x
      ORDER BY x.team_id DESC, x.user_id DESC, x.shown DESC, x.rank DESC, x.key DESC
      LIMIT 250
      RETURN x
    }
    RETURN x
  }
  SET x:Statement
  WITH x
  WHERE x.valid_to IS NULL
  RETURN collect([x.key, coalesce(x.topic, ''), x.subject, x.text, x.negative, x.state, x.kind, x.confidence, x.renewals, x.at, x.renewed_at]) AS statements
}
CALL () {
  UNWIND $topics AS topic
  MATCH (x:Statement {team_id: $team_id, user_id: $user_id, topic: topic})
  USING INDEX SEEK x:Statement(team_id, user_id, topic)
  WHERE x.valid_to IS NOT NULL
  WITH x.topic AS topic, x.subject AS subject, max(CASE WHEN x.renewed_at > x.at THEN x.renewed_at ELSE x.at END) AS said, max(x.valid_to) AS until
  RETURN collect([topic, subject, said, until]) AS ended
}
RETURN paused,
  statements,
  ended
LIMIT 1
