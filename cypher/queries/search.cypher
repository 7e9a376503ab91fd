// What several full-text queries find, the best first, and where that leads. A hit begins with the number of its query and
// its score. Messages: key, source, number, speaker, time. Sources: key, start. Nodes of other kinds: labels, key, names, how many
// sources mention it. Relationships (current ones, or those of a day): ends and their names, type, properties; types that callers
// added have indexes of their own. Links: what the first sources mention and what is named as the query asks, each with
// its labels, name, how many sources mention it, those of the first sources that do, and some others.
// mode: read
// params: team_id, user_id, message_queries, message_limit, source_queries, source_limit, node_queries, node_limit, relationship_queries, relationship_limit, known_types, type_pattern, since, until, as_of, seeds, seed_mentions, link_sources
// returns: messages, sources, nodes, relationships, links
CALL () {
  UNWIND range(0, size($message_queries) - 1) AS ask
  CALL db.index.fulltext.queryNodes('message_words', $message_queries[ask], {limit: $message_limit}) YIELD node AS m, score
  WHERE m.team_id = $team_id
    AND (m.user_id IS NULL OR m.user_id = $user_id)
    AND ($since IS NULL OR m.at >= $since)
    AND ($until IS NULL OR m.at <= $until)
  RETURN collect([ask, score, m.entity_key, m.source_key, m.seq, m.name, m.at.epochMillis]) AS messages
}
CALL () {
  UNWIND range(0, size($source_queries) - 1) AS ask
  CALL db.index.fulltext.queryNodes('source_words', $source_queries[ask], {limit: $source_limit}) YIELD node AS s, score
  WHERE s.team_id = $team_id
    AND (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
    AND ($since IS NULL OR s.started_at >= $since)
    AND ($until IS NULL OR s.started_at <= $until)
  RETURN collect([ask, score, s.entity_key, s.started_at.epochMillis]) AS sources
}
CALL () {
  UNWIND range(0, size($node_queries) - 1) AS ask
  CALL db.index.fulltext.queryNodes('node_words', $node_queries[ask], {limit: $node_limit}) YIELD node AS n, score
  WHERE n.team_id = $team_id
    AND (n.user_id IS NULL OR n.user_id = $user_id)
    AND ($since IS NULL OR n.updated_at >= $since)
    AND ($until IS NULL OR n.created_at <= $until)
  RETURN collect([ask, score, labels(n), n.entity_key, n.name, n.canonical_name, n.source_count]) AS nodes
}
CALL () {
  CALL db.relationshipTypes() YIELD relationshipType AS type
  WHERE size($relationship_queries) > 0
    AND NOT type IN $known_types
    AND type =~ $type_pattern
  WITH ['relationship_words'] + collect('relationship_words_' + type) AS indexes
  UNWIND indexes AS index
  UNWIND range(0, size($relationship_queries) - 1) AS ask
  CALL db.index.fulltext.queryRelationships(index, $relationship_queries[ask], {limit: $relationship_limit}) YIELD relationship AS r, score
  WHERE r.team_id = $team_id
    AND (r.user_id IS NULL OR r.user_id = $user_id)
    AND CASE WHEN $as_of IS NULL THEN r.valid_to IS NULL
      ELSE coalesce(r.valid_from <= $as_of, true) AND coalesce(r.valid_to > $as_of, true) END
  WITH ask, score, r, startNode(r) AS a, endNode(r) AS b
  WHERE (a.user_id IS NULL OR a.user_id = $user_id OR $user_id IN a.participants)
    AND (b.user_id IS NULL OR b.user_id = $user_id OR $user_id IN b.participants)
    AND a:Memory
    AND b:Memory
  RETURN collect([ask, score, a.entity_key, a.name, type(r), b.entity_key, b.name,
    [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]]]) AS relationships
}
CALL (messages, sources) {
  UNWIND [s IN sources | [s[2], s[1]]] + [m IN messages | [m[3], m[1]]] AS hit
  WITH hit[0] AS key, max(hit[1]) AS score
  ORDER BY score DESC, key
  LIMIT $seeds
  RETURN collect(key) AS first
}
CALL (first, nodes) {
  CALL (first, nodes) {
    UNWIND first AS key
    MATCH (s:Memory {team_id: $team_id, entity_key: key})
    USING INDEX SEEK s:Memory(team_id, entity_key)
    CALL (s) {
      MATCH (s)-[m:mentions {team_id: $team_id}]->(n:Memory)
      WHERE m.valid_to IS NULL
        AND n.is_owner IS NULL
        AND (n.user_id IS NULL OR n.user_id = $user_id)
      WITH n
      ORDER BY n.source_count, n.entity_key
      LIMIT $seed_mentions
      RETURN n
    }
    RETURN n, key
    UNION ALL
    UNWIND nodes AS hit
    MATCH (n:Memory {team_id: $team_id, entity_key: hit[3]})
    USING INDEX SEEK n:Memory(team_id, entity_key)
    WHERE n.source_count > 0
    RETURN n, null AS key
  }
  WITH n, collect(DISTINCT key) AS seeds
  CALL (n) {
    MATCH (n)<-[m:mentions {team_id: $team_id}]-(s:Source)
    WHERE m.valid_to IS NULL
      AND (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
    WITH s
    LIMIT $link_sources
    RETURN collect([s.entity_key, s.started_at.epochMillis]) AS others
  }
  RETURN collect([labels(n), n.entity_key, n.name, n.source_count, seeds, others]) AS links
}
RETURN messages, sources, nodes, relationships, links
LIMIT 1
