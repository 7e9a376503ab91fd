// Runs several full-text queries, and follows their hits. A hit begins with the number of its ask and its key, and ends
// with the values of its searched fields: Kith scores them. Lucene's own scores depend on all tenants' data. So every
// clause has a constant score here, weighted by how rare its word is in the caller's scope: the counts, of the largest
// index asked ($counted), begin with the size of the memory there. messages: source, speaker, role, whether said at a time of
// the ask, trust; if an ask names a speaker of the scope, that name counts a quarter among its words, as it says who and not
// what. timed: for each ask, the user's own sources at its times ($times: windows, or conversations
// counted within them). said: for asks that times filter, what was said then: ask, key, source, speaker, of each source
// in turn. sources: trust. nodes: label, trust.
// relationships (current ones): ends and their names, type, trust and origin of the less believed end, properties. texts: key, name and
// beginning of the first sources. links: the nodes that these sources mention, and the found nodes that sources
// mention, each with labels, key, name, aliases, how many sources visible to the caller mention it (for shared nodes: how many
// of the caller's own), which of the first do, and all that do, as one text: key, U+001F, + if it has their name, when
// they began in milliseconds, U+001F. A
// node mentioned by more than $degree_limit sources links nothing, unless an ask of $matches found it: then the newest
// are returned. vectors: the next of each scope after a number, as in embedding_vectors.cypher; model and base identify
// how they were made, waiting whether some texts of the team have none yet. speakers: the names counted a quarter, of
// each ask. doubted: how many messages with too little trust have words of an ask.
// mode: read
// plan: kept
// params: team_id, user_id, message_asks, message_limit, answer_limit, neighbours, archived, source_asks, source_limit, node_asks, node_limit, relationship_asks, relationship_names, counted, count_limit, name_limit, relationship_limit, since, until, times, session_limit, timed_messages, timed_hits, first_limit, mention_limit, degree_limit, matches, scopes, vector_limit, doubted, doubted_limit, now
// returns: messages, sources, nodes, relationships, texts, links, vectors, model, base, waiting, counts, speakers, timed, said, doubted
CALL () {
  UNWIND range(0, size($counted) - 1) AS place
  CALL (place) {
    CALL db.index.fulltext.queryNodes($counted[place].index, $counted[place].filter, {limit: $count_limit}) YIELD score
    RETURN count(score) AS size
  }
  WITH place, size
  ORDER BY size DESC, place
  LIMIT 1
  RETURN collect([place, size])[0] AS largest
}
CALL (largest) {
  UNWIND $counted[largest[0]].asks AS words
  CALL (largest, words) {
    UNWIND range(0, size(words) - 1) AS i
    CALL (largest, words, i) {
      CALL db.index.fulltext.queryNodes($counted[largest[0]].index, words[i], {limit: $count_limit}) YIELD score
      RETURN count(score) AS count
    }
    WITH i, count
    ORDER BY i
    LIMIT $count_limit
    RETURN collect(count) AS having
  }
  RETURN collect([largest[1]] + having) AS counts
}
CALL () {
  UNWIND range(0, size($times) - 1) AS ask
  UNWIND $times[ask] AS w
  CALL (w) {
    CALL (w) {
      UNWIND CASE WHEN w.from_end THEN w.types ELSE [] END AS type
      CALL (w, type) {
        MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: type})
        USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
        WHERE s.started_at >= w.begin
          AND s.started_at < w.until
          AND s.entity_key IS NOT NULL
        WITH s
        ORDER BY s.started_at DESC, s.entity_key DESC
        LIMIT $session_limit
        RETURN s
      }
      RETURN s
    UNION ALL
      UNWIND CASE WHEN w.from_end THEN [] ELSE w.types END AS type
      CALL (w, type) {
        MATCH (s:Source {team_id: $team_id, user_id: $user_id, content_type: type})
        USING INDEX SEEK s:Source(team_id, user_id, content_type, started_at, entity_key)
        WHERE s.started_at >= w.begin
          AND s.started_at < w.until
          AND s.entity_key IS NOT NULL
        WITH s
        ORDER BY s.started_at, s.entity_key
        LIMIT $session_limit
        RETURN s
      }
      RETURN s
    }
    WITH w, s
    WHERE ($archived OR coalesce(s.state, '') <> 'archived')
      AND NOT (w.counted AND s.entity_key = w.open)
      AND (s.ended_at IS NULL OR s.ended_at >= w.from)
      AND ($since IS NULL OR s.started_at >= $since)
      AND ($until IS NULL OR s.started_at <= $until)
    WITH w, s
    ORDER BY CASE WHEN w.from_end THEN -s.started_at.epochMillis ELSE s.started_at.epochMillis END, s.entity_key
    RETURN collect(s) AS all
  }
  UNWIND all[w.first..w.last] AS s
  CALL (w, s) {
    WITH w, s
    WHERE w.filters
    MATCH (m:Message {team_id: $team_id, source_key: s.entity_key})
    USING INDEX SEEK m:Message(team_id, source_key, seq)
    WHERE m.seq IS NOT NULL
      AND (w.counted OR m.at >= w.from AND m.at < w.until)
    WITH m
    ORDER BY m.seq
    LIMIT $timed_messages
    RETURN collect(m) AS said
  }
  WITH ask, w, s, said
  WHERE size(said) > 0 OR s.started_at >= w.from
  WITH ask, collect([s, w.counted, said]) AS found
  CALL (ask, found) {
    UNWIND found AS f
    UNWIND range(0, size(f[2]) - 1) AS place
    WITH ask, f, place
    ORDER BY place, f[0].started_at, f[0].entity_key
    LIMIT $timed_hits
    RETURN collect([ask, f[2][place].entity_key, f[0].entity_key, f[2][place].name]) AS said
  }
  WITH ask, found, said, [f IN found WHERE f[1] | f[0]] AS counted
  RETURN collect([ask, [f IN found | f[0].entity_key], [s IN counted | s.entity_key], CASE WHEN counted = [] THEN '' ELSE
    ' +search_scope:[' + reduce(day = 'd9999', s IN counted | CASE WHEN 'd' + replace(toString(date(s.started_at)), '-', '') < day THEN 'd' + replace(toString(date(s.started_at)), '-', '') ELSE day END)
    + ' TO ' + reduce(day = 'd0', s IN counted | CASE WHEN coalesce('d' + replace(toString(date(s.ended_at)), '-', ''), 'd9999') > day THEN coalesce('d' + replace(toString(date(s.ended_at)), '-', ''), 'd9999') ELSE day END)
    + ']^0 ' END, said]) AS at
}
CALL (counts, at) {
  UNWIND range(0, size($message_asks) - 1) AS ask
  WITH ask, $message_asks[ask] AS q, counts[ask] AS having, head([t IN at WHERE t[0] = ask]) AS then
  CALL (q) {
    UNWIND q.names AS name
    CALL db.index.fulltext.queryNodes('message_words', name, {limit: $name_limit}) YIELD node AS m
    WHERE m.team_id = $team_id
    WITH DISTINCT q, split(toLower(m.name), ' ') AS speaker
    WHERE all(word IN speaker WHERE word IN q.words)
    UNWIND speaker AS word
    RETURN collect(DISTINCT word) AS speakers
  }
  WITH ask, q, having, then, CASE WHEN all(word IN q.words WHERE word IN speakers) THEN [] ELSE speakers END AS speakers
  WITH ask, q, then, speakers, reduce(query = CASE WHEN q.filters THEN coalesce(then[3], '') ELSE '' END + q.head, i IN range(0, size(q.clauses) - 1) | query + q.clauses[i] + '^'
    + toString(toInteger(100 * log(1 + having[0] / (having[i + 1] + 0.5)) * CASE WHEN q.words[i] IN speakers THEN 0.25 ELSE 1 END)) + ' ') + ')' AS query
  CALL (ask, q, then, query) {
    CALL db.index.fulltext.queryNodes('message_words', query, {limit: $message_limit}) YIELD node AS m, score
    WHERE m.team_id = $team_id
      AND (m.user_id IS NULL OR m.user_id = $user_id)
      AND ($since IS NULL OR m.at >= $since)
      AND ($until IS NULL OR m.at <= $until)
    WITH q, m, score, any(w IN $times[ask] WHERE CASE WHEN w.counted THEN m.source_key IN then[2] ELSE m.at >= w.from AND m.at < w.until END) AS timed
    WHERE timed OR NOT q.filters
    RETURN collect([score, m.entity_key, m.source_key, m.name, m.role, timed, m.trust, [left(m.text, 4000), CASE WHEN $neighbours THEN m.near END]]) AS found
  }
  WITH ask, speakers, [i IN range(0, size(found) - 1) WHERE i < $answer_limit OR found[i][4] <> 'assistant' | found[i]] AS hits
  RETURN collect([hit IN hits | [ask] + hit[1..]]) AS messages, collect([hit IN hits | [hit[2], hit[0]]]) AS said, collect(speakers) AS speakers
}
CALL (counts, at) {
  UNWIND range(0, size($source_asks) - 1) AS ask
  WITH ask, $source_asks[ask] AS q, counts[ask] AS having, head([t IN at WHERE t[0] = ask]) AS then
  WITH ask, q, then, reduce(query = q.head, i IN range(0, size(q.clauses) - 1) | query + q.clauses[i] + '^'
    + toString(toInteger(100 * log(1 + having[0] / (having[i + 1] + 0.5)))) + ' ') + ')' AS query
  CALL db.index.fulltext.queryNodes('source_words', query, {limit: $source_limit}) YIELD node AS s, score
  WHERE s.team_id = $team_id
    AND (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
    AND ($archived OR coalesce(s.state, '') <> 'archived')
    AND ($since IS NULL OR s.started_at >= $since)
    AND ($until IS NULL OR s.started_at <= $until)
    AND (NOT q.filters OR coalesce(s.entity_key IN then[1], false)
      OR (s.user_id IS NULL OR s.user_id <> $user_id)
      AND any(w IN $times[ask] WHERE NOT w.counted AND s.started_at < w.until AND coalesce(s.ended_at, s.started_at) >= w.from))
  RETURN collect([ask, s.entity_key, CASE WHEN s.content_type <> 'conversation' AND s.least_trust < coalesce(s.trust, 1.0) THEN s.least_trust ELSE s.trust END, [left(s.summary, 4000), s.name, left(s.description, 4000), s.keywords, s.tags]]) AS sources,
    collect([s.entity_key, score]) AS told, collect(CASE WHEN q.filters THEN [ask, s.entity_key] END) AS filtered
}
CALL (counts) {
  UNWIND range(0, size($node_asks) - 1) AS ask
  WITH ask, $node_asks[ask] AS q, counts[ask] AS having
  WITH ask, reduce(query = q.head, i IN range(0, size(q.clauses) - 1) | query + q.clauses[i] + '^'
    + toString(toInteger(100 * log(1 + having[0] / (having[i + 1] + 0.5)))) + ' ') + ')' AS query
  CALL db.index.fulltext.queryNodes('memory_texts', query, {limit: $node_limit}) YIELD node AS n, score
  WHERE n.team_id = $team_id
    AND (n.user_id IS NULL OR n.user_id = $user_id)
    AND ($archived OR coalesce(n.state, '') <> 'archived')
    AND ($since IS NULL OR n.updated_at >= $since)
    AND ($until IS NULL OR n.created_at <= $until)
  RETURN collect([ask, n.entity_key, head([label IN labels(n) WHERE label <> 'Memory']), n.trust, [n.name, n.canonical_name, n.aliases, left(n.description, 4000), n.type, n.tags,
    n.notes, left(n.text, 4000), left(n.content, 4000), n.goal, n.outcome, n.rationale, n.next_step_short, n.next_step_long]]) AS nodes
}
CALL (counts) {
  UNWIND range(0, size($relationship_asks) - 1) AS ask
  WITH $relationship_asks[ask] AS q, counts[ask] AS having
  WITH reduce(query = q.head, i IN range(0, size(q.clauses) - 1) | query + q.clauses[i] + '^'
    + coalesce(toString(toInteger(100 * log(1 + having[0] / (having[i + 1] + 0.5)))), '1') + ' ') + ')' AS query
  RETURN collect(query) AS relationship_queries
}
CALL (relationship_queries) {
  UNWIND ['relationship_words', 'relationship_words_of_others'] AS index
  UNWIND range(0, size(relationship_queries) - 1) AS ask
  CALL db.index.fulltext.queryRelationships(index, relationship_queries[ask], {limit: $relationship_limit}) YIELD relationship AS r
  WHERE r.team_id = $team_id
    AND (r.user_id IS NULL OR r.user_id = $user_id)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND coalesce(r.valid_to > $now, true)
  WITH ask, r, startNode(r) AS a, endNode(r) AS b
  WHERE (a.user_id IS NULL OR a.user_id = $user_id OR $user_id IN a.participants)
    AND (b.user_id IS NULL OR b.user_id = $user_id OR $user_id IN b.participants)
    AND a:Memory
    AND b:Memory
  RETURN collect([ask, r.key, a.entity_key, a.name, type(r), b.entity_key, b.name,
    CASE WHEN b.trust < coalesce(a.trust, 1.0) THEN [b.trust, b.origin] ELSE [a.trust, a.origin] END, [name IN $relationship_names | r[name]]]) AS relationships
}
CALL (said, told) {
  UNWIND [hit IN told | [hit[0], hit[1], 0.0]] + [hit IN reduce(all = [], hits IN said | all + hits) | [hit[0], 0.0, hit[1]]] AS hit
  WITH hit[0] AS key, max(hit[1]) + max(hit[2]) AS score
  ORDER BY score DESC, key
  LIMIT $first_limit
  RETURN collect(key) AS first
}
CALL (first) {
  UNWIND first AS key
  MATCH (s:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK s:Memory(team_id, entity_key)
  RETURN collect([key, s.name, left(s.summary, 4000)]) AS texts
}
CALL (first, nodes) {
  CALL (first, nodes) {
    UNWIND first AS key
    MATCH (s:Memory {team_id: $team_id, entity_key: key})
    USING INDEX SEEK s:Memory(team_id, entity_key)
    CALL (s) {
      MATCH (s)-[m:mentions {team_id: $team_id}]->(n:Memory)
      WHERE coalesce(m.valid_to > $now, true)
        AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
        AND (n.user_id IS NULL OR n.user_id = $user_id AND n.source_count <= $degree_limit)
      RETURN n
      LIMIT $mention_limit
    }
    RETURN n, key, false AS matched
    UNION ALL
    UNWIND CASE WHEN $first_limit > 0 THEN nodes ELSE [] END AS hit
    MATCH (n:Memory {team_id: $team_id, entity_key: hit[1]})
    USING INDEX SEEK n:Memory(team_id, entity_key)
    WHERE n.user_id IS NULL
      OR n.source_count > 0 AND (n.source_count <= $degree_limit OR hit[0] IN $matches)
    RETURN n, null AS key, hit[0] IN $matches AS matched
  }
  WITH n, collect(DISTINCT key) AS seeds, max(matched) AS matched
  CALL (n) {
    CALL (n) {
      WITH n
      WHERE n.user_id IS NOT NULL
        AND n.source_count <= $degree_limit
      MATCH (n)<-[m:mentions {team_id: $team_id}]-(s:Source)
      WHERE coalesce(m.valid_to > $now, true)
        AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
        AND (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
      RETURN s
    UNION ALL
      WITH n
      WHERE n.user_id IS NULL
        OR n.source_count > $degree_limit
      MATCH (s:Source)-[m:mentions {team_id: $team_id, user_id: $user_id, node_key: n.entity_key}]->()
      USING INDEX SEEK m:mentions(team_id, user_id, node_key, started_at)
      WHERE m.started_at IS NOT NULL
        AND coalesce(m.valid_to > $now, true)
        AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
      RETURN s
      ORDER BY m.started_at DESC
      LIMIT $degree_limit + 1
    }
    RETURN collect(s) AS sources
  }
  WITH n, seeds, matched, sources, CASE WHEN n.user_id IS NULL THEN size(sources) ELSE n.source_count END AS degree
  WHERE degree > 0
    AND (degree <= $degree_limit OR matched)
  RETURN collect([labels(n), n.entity_key, n.name, n.aliases, degree, seeds, reduce(text = '', source IN [s IN sources
    WHERE ($since IS NULL OR s.started_at >= $since) AND ($until IS NULL OR s.started_at <= $until)]
    | text + source.entity_key + '\u001f' + CASE WHEN source.search_name = n.search_name THEN '+' ELSE '' END + coalesce(toString(source.started_at.epochMillis), '') + '\u001f')]) AS links
}
CALL () {
  UNWIND range(0, size($doubted) - 1) AS i
  CALL (i) {
    CALL db.index.fulltext.queryNodes('message_words', $doubted[i], {limit: $doubted_limit}) YIELD score
    RETURN count(score) AS count
  }
  RETURN coalesce(max(count), 0) AS doubted
}
CALL () {
  UNWIND range(0, size($scopes) - 1) AS place
  WITH $scopes[place] AS scope
  CALL (scope) {
    MATCH (n:Memory {team_id: $team_id, vector_scope: scope.token})
    USING INDEX SEEK n:Memory(vector_scope, vector_seq)
    WHERE n.vector_seq > scope.after
    WITH n
    ORDER BY n.vector_scope, n.vector_seq
    LIMIT $vector_limit
    RETURN collect([n.vector_seq, n.entity_key, labels(n), coalesce(n.at, n.started_at, n.created_at).epochMillis, n.vector, n.source_key]) AS rows
  }
  RETURN collect([scope.token, scope.after, rows]) AS vectors
}
CALL () {
  OPTIONAL MATCH (e:KithSchema {name: 'embedding'})
  WHERE $team_id <> ''
    AND size($scopes) > 0
  RETURN e
}
CALL () {
  MATCH (n:Memory {team_id: $team_id})
  USING INDEX SEEK n:Memory(team_id, embed_due)
  WHERE n.embed_due > 0
    AND size($scopes) > 0
  WITH n
  LIMIT 1
  RETURN count(n) > 0 AS due
}
RETURN reduce(all = [], hits IN messages | all + hits) AS messages, sources, nodes, relationships, texts, links, vectors, e.model AS model, e.base AS base, due OR NOT coalesce(e.walked, true) AS waiting,
  counts, speakers, reduce(all = [], t IN at | all + [key IN t[1] | [t[0], key]]) + filtered AS timed, reduce(all = [], t IN at | all + t[4]) AS said,
  doubted
LIMIT 1
