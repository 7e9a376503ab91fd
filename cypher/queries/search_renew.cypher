// Updates the search properties of some nodes, their relationships and their messages' neighbours. $scopes has the
// word for each user, and for shared data under the empty name, $doubted_scopes those for messages and sources with less trust than
// $least; $kinds the words of kinds, by label; $plain the types of relationships that are not searched by words; $names the
// names by which texts mention nodes, by key. Shared nodes count no mentions by private sources. $further has the words of
// namespaces of items, of aliases, and of the sources on which nodes and relationships rest, by key.
// mode: write
// params: team_id, keys, scopes, doubted_scopes, least, kinds, plain, names, further
// returns: renewed
UNWIND $keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WITH n, coalesce(n.started_at, n.at) AS said, coalesce(n.user_id, '') AS user,
  CASE WHEN (n:Message OR n:Source) AND n.trust < $least
    OR n:Source AND coalesce(n.content_type, '') <> 'conversation' AND n.least_trust < $least THEN $doubted_scopes ELSE $scopes END AS scopes
SET n.search_scope = reduce(all = scopes[user], p IN [p IN coalesce(n.participants, []) WHERE p <> user] | all + ' ' + scopes[p])
  + CASE WHEN n:Source OR n:Message THEN ' d' + replace(toString(date(said)), '-', '')
    ELSE reduce(all = '', l IN [l IN labels(n) WHERE l <> 'Memory'] | all + ' ' + $kinds[l]) END
  + coalesce(' ' + $further[n.entity_key], ''),
  n.search_name = $names[n.entity_key]
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
