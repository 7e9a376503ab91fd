// Computes when, and on which days, sources mention some nodes again: those that deleted sources mentioned ($source_keys), and those of which a
// mention was deleted, with the time of that ($rows). A mention between the first and the last one changes neither. The delete has locked the
// nodes, and counts the sources. A shared node has none of it.
// mode: write
// params: team_id, source_keys, rows
// returns: recounted
CALL () {
  UNWIND $source_keys AS key
  MATCH (s:Deleted {team_id: $team_id, entity_key: key})-[m:mentions {team_id: $team_id}]->(n)
  USING INDEX SEEK s:Deleted(team_id, entity_key)
  RETURN n, m.started_at AS at
  UNION
  UNWIND $rows AS row
  MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN n, row.at AS at
}
WITH n, at
WHERE n.user_id IS NOT NULL
  AND (at <= n.first_mentioned_at OR at >= n.last_mentioned_at)
WITH DISTINCT n
CALL (n) {
  MATCH (:Source)-[m:mentions {team_id: $team_id}]->(n)
  WITH m.started_at AS at
  ORDER BY at
  RETURN min(at) AS since, max(at) AS until, collect(DISTINCT substring(toString(at), 0, 10)) AS days
}
SET n.first_mentioned_at = since, n.last_mentioned_at = until, n.distinct_source_days = CASE WHEN since IS NOT NULL THEN days END
RETURN count(n) AS recounted
