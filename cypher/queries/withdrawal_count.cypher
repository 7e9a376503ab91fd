// Counts what rests on a source: alone, or with others, up to $limit of nodes and of relationships; of all users for a source that the team
// shares ($user_id: null). $query finds it by the token of the
// source. Evidence begins with its sources.
// mode: read
// params: team_id, user_id, source_key, query, limit
// returns: nodes, relationships, lowered_nodes, lowered_relationships, messages, names
CALL () {
  CALL db.index.fulltext.queryNodes('memory_texts', $query, {limit: $limit}) YIELD node AS n
  WHERE n.team_id = $team_id
    AND ($user_id IS NULL OR n.user_id IS NULL OR n.user_id = $user_id)
  WITH n, all(e IN n.evidence WHERE $source_key IN split(split(e, '\u001f')[0], '\u001e')) AS alone
  RETURN sum(CASE WHEN alone THEN 1 ELSE 0 END) AS nodes,
    sum(CASE WHEN alone THEN 0 ELSE 1 END) AS lowered_nodes,
    collect(CASE WHEN alone THEN n.name END)[..20] AS names
}
CALL () {
  UNWIND ['relationship_words', 'relationship_words_of_others'] AS index
  CALL db.index.fulltext.queryRelationships(index, $query, {limit: $limit}) YIELD relationship AS r
  WHERE r.team_id = $team_id
    AND ($user_id IS NULL OR r.user_id IS NULL OR r.user_id = $user_id)
    AND startNode(r):Memory
    AND endNode(r):Memory
  WITH r, all(e IN r.evidence WHERE $source_key IN split(split(e, '\u001f')[0], '\u001e')) AS alone
  RETURN sum(CASE WHEN alone THEN 1 ELSE 0 END) AS relationships,
    sum(CASE WHEN alone THEN 0 ELSE 1 END) AS lowered_relationships
}
OPTIONAL MATCH (s:Memory {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
RETURN nodes,
  relationships,
  lowered_nodes,
  lowered_relationships,
  coalesce(s.message_count, 0) AS messages,
  names
LIMIT 1
