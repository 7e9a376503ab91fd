// Sets the new start of sources on their mentions, which are counted by it; also on mentions of deleted nodes, which
// may be restored. The times and days of the mentioned nodes are computed from all their mentions again, except those of shared ones, which have
// none. A node that was accessed last by the mention was accessed by the newest one now. The source becomes due for storylines.
// mode: write
// params: team_id, rows
// returns: mentions
UNWIND $rows AS row
MATCH (s:Memory {team_id: $team_id, entity_key: row.source_key})-[m:mentions]->(n)
USING INDEX SEEK s:Memory(team_id, entity_key)
WITH row, s, m, n, m.started_at AS before
SET m.started_at = row.started_at, s.story_due = row.due
WITH n, collect(before) AS before, max(row.due) AS now
CALL (n) {
  MATCH (:Source)-[m:mentions {team_id: $team_id}]->(n)
  WITH m.started_at AS at
  ORDER BY at
  RETURN min(at) AS since, max(at) AS until, collect(DISTINCT substring(toString(at), 0, 10)) AS days
}
WITH n, before, since, until, days, CASE WHEN until.epochMillis > now THEN datetime({epochMillis: now}) ELSE until END AS accessed
FOREACH (n IN CASE WHEN n.user_id IS NOT NULL AND since IS NOT NULL THEN [n] ELSE [] END | SET n.first_mentioned_at = since, n.last_mentioned_at = until,
  n.distinct_source_days = days, n.last_accessed_at = CASE
    WHEN n.last_accessed_at IN before AND n.created_at > accessed THEN n.created_at
    WHEN n.last_accessed_at IN before OR n.last_accessed_at IS NULL OR n.last_accessed_at < accessed THEN accessed
    ELSE n.last_accessed_at END)
RETURN sum(size(before)) AS mentions
