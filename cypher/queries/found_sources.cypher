// Returns sources, each with its most salient mentions: those with given keys, those with given names, and those that
// seeds lead to. A mentioned seed passes its weight to the other sources that mention it, divided by the square root of
// their number, and twice to a source with its name. linked holds how much each source got from the seeds of each ask,
// and through which nodes; titled the sources with one of the names.
// mode: read
// plan: kept
// params: team_id, user_id, source_keys, names, seeds, degree_limit, link_limit, mentioned, since, until, now
// returns: sources, linked, titled
CALL () {
  UNWIND $seeds AS seed
  MATCH (n:Memory {team_id: $team_id, entity_key: seed.key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  MATCH (n)-[r:mentions {team_id: $team_id}]->(e:Memory)
  WHERE coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    AND (e.user_id IS NULL OR e.user_id = $user_id AND e.source_count <= $degree_limit)
  CALL (e) {
    CALL (e) {
      WITH e
      WHERE e.user_id IS NOT NULL
      MATCH (e)<-[q:mentions {team_id: $team_id}]-(s:Source)
      WHERE coalesce(q.valid_to > $now, true)
        AND (coalesce(q.valid_from <= $now, true) OR q.start_unknown)
        AND (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
      RETURN s
    UNION ALL
      WITH e
      WHERE e.user_id IS NULL
      MATCH (s:Source)-[q:mentions {team_id: $team_id, user_id: $user_id, node_key: e.entity_key}]->()
      USING INDEX SEEK q:mentions(team_id, user_id, node_key, started_at)
      WHERE q.started_at IS NOT NULL
        AND coalesce(q.valid_to > $now, true)
        AND (coalesce(q.valid_from <= $now, true) OR q.start_unknown)
      RETURN s
      LIMIT $degree_limit + 1
    }
    RETURN collect(s) AS sources
  }
  WITH seed, n, e, sources, CASE WHEN e.user_id IS NULL THEN size(sources) ELSE e.source_count END AS degree
  WHERE degree <= $degree_limit
  UNWIND sources AS s
  WITH seed, n, e, s, degree
  WHERE s <> n
    AND ($since IS NULL OR s.started_at >= $since)
    AND ($until IS NULL OR s.started_at <= $until)
  WITH seed.ask AS ask, s.entity_key AS key, e.name AS name,
    seed.weight / sqrt(degree) * CASE WHEN s.search_name = e.search_name THEN 2 ELSE 1 END AS gain
  ORDER BY ask, key, name, gain
  WITH ask, key, sum(gain) AS gain, collect(DISTINCT name)[0..5] AS via
  ORDER BY gain DESC, key
  LIMIT $link_limit
  RETURN collect([ask, key, gain, via]) AS linked
}
CALL () {
  UNWIND $names AS name
  MATCH (s:Source {team_id: $team_id, search_name: name})
  USING INDEX SEEK s:Source(team_id, search_name)
  WHERE (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
    AND ($since IS NULL OR s.started_at >= $since)
    AND ($until IS NULL OR s.started_at <= $until)
  WITH s
  LIMIT 100
  RETURN collect([s.entity_key, s.name]) AS titled
}
CALL (linked, titled) {
  UNWIND $source_keys + [l IN linked | l[1]] + [t IN titled | t[0]] AS key
  WITH DISTINCT key
  MATCH (s:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK s:Memory(team_id, entity_key)
  WHERE (s.user_id IS NULL OR s.user_id = $user_id OR $user_id IN s.participants)
    AND s:Source
  CALL (s) {
    MATCH (s)-[m:mentions {team_id: $team_id}]->(n:Memory)
    WHERE coalesce(m.valid_to > $now, true)
      AND (coalesce(m.valid_from <= $now, true) OR m.start_unknown)
      AND (n.user_id IS NULL OR n.user_id = $user_id)
    WITH n
    ORDER BY n.salience DESC, n.entity_key
    LIMIT $mentioned
    RETURN collect([n.entity_key, labels(n), n.name]) AS mentions
  }
  RETURN collect([
    s.entity_key, s.name, s.summary, s.content_type, s.context_type, s.source_type, s.started_at.epochMillis,
    s.ended_at.epochMillis, s.salience, s.decay_rate, s.salience_at, s.state, s.ends_at, mentions, s.user_id,
    CASE WHEN s.content_type <> 'conversation' AND s.least_trust < coalesce(s.trust, 1.0) THEN s.least_trust ELSE s.trust END, s.origin
  ]) AS sources
}
RETURN sources, linked, titled
LIMIT 1
