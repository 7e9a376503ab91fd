// Updates the search properties of some nodes, their relationships and their messages' neighbours. $scopes has the words for each user
// of relationships, and for shared ones under the empty name; $further those of the sources on which relationships rest, by key; $plain
// the types of relationships that are not searched by words. Shared nodes count no mentions by private sources.
// mode: write
// params: team_id, rows, scopes, further, plain
// returns: renewed
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
SET n.search_scope = row.search_scope, n.search_name = row.search_name
FOREACH (n IN CASE WHEN n.user_id IS NULL THEN [n] ELSE [] END | SET n.source_count = null, n.mention_weight = null,
  n.first_mentioned_at = null, n.last_mentioned_at = null, n.distinct_source_days = null)
WITH n
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]->()
  WHERE NOT type(r) IN $plain
  SET r.search_scope = $scopes[coalesce(r.user_id, '')] + ' t' + coalesce(r.type_word, type(r)) + '0' + coalesce(' ' + $further[r.key], '')
  RETURN count(r) AS relationships
}
CALL (n) {
  MATCH (w:Message {team_id: $team_id, source_key: n.source_key})
  USING INDEX SEEK w:Message(team_id, source_key, seq)
  WHERE w.seq >= n.seq - 2
    AND w.seq <= n.seq + 2
  WITH n, w
  ORDER BY w.seq
  WITH n, collect(left(w.text, 2000)) AS texts
  SET n.near = reduce(all = '', text IN texts | all + text + '\n')
  RETURN count(n) AS messages
}
RETURN count(n) AS renewed
