// Returns the nodes and relationships that rest on a source, up to $limit of each: those of its user, or of all for a source that the team
// shares ($user_id: null). $query finds them by the token of the source. The index also has the relationships of deleted nodes: what is left out must not count towards the limit.
// mode: read
// params: team_id, user_id, source_key, query, limit
// returns: nodes, relationships
MATCH (s:Memory {team_id: $team_id, entity_key: $source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
CALL () {
  CALL db.index.fulltext.queryNodes('memory_texts', $query) YIELD node AS n
  WHERE n.team_id = $team_id
    AND ($user_id IS NULL OR n.user_id IS NULL OR n.user_id = $user_id)
  WITH n
  LIMIT $limit
  RETURN collect([n.entity_key, coalesce(n.user_id, '')]) AS nodes
}
CALL () {
  UNWIND ['relationship_words', 'relationship_words_of_others'] AS index
  CALL db.index.fulltext.queryRelationships(index, $query) YIELD relationship AS r
  WHERE r.team_id = $team_id
    AND ($user_id IS NULL OR r.user_id IS NULL OR r.user_id = $user_id)
    AND startNode(r):Memory
    AND endNode(r):Memory
  WITH r
  LIMIT $limit
  RETURN collect([r.key, startNode(r).entity_key, coalesce(r.type_word, type(r)), endNode(r).entity_key,
    [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]]]) AS relationships
}
RETURN nodes,
  relationships
LIMIT 1
