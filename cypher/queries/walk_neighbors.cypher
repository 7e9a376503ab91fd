// Returns the current neighbors of some nodes, of each node through the first $walk relationships that the caller may
// see: for each visible node its key, how many relationships were read, and the nodes at the other ends, with the
// current salience of both, and whether the kind is requested. Written for one type; the store puts in the requested
// types, or any but those to messages (cypher.OfTypes, OfTypesBut). $words are the included types when some may be
// words of the team's own, $without the excluded ones; null: all.
// mode: read
// params: team_id, user_id, keys, outgoing, incoming, labels, now_ms, walk, words, without, now
// returns: key, looked, links
UNWIND $keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
CALL (n) {
  CALL (n) {
    WITH n
    WHERE $outgoing
    MATCH (n)-[r:relates_to]->(m)
    WHERE (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND ($words IS NULL OR coalesce(r.type_word, type(r)) IN $words)
      AND ($without IS NULL OR NOT coalesce(r.type_word, type(r)) IN $without)
    RETURN r, m, true AS out
    LIMIT $walk
  UNION ALL
    WITH n
    WHERE $incoming
    MATCH (n)<-[r:relates_to]-(m)
    WHERE (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND ($words IS NULL OR coalesce(r.type_word, type(r)) IN $words)
      AND ($without IS NULL OR NOT coalesce(r.type_word, type(r)) IN $without)
    RETURN r, m, false AS out
    LIMIT $walk
  }
  WITH r, m, out
  LIMIT $walk
  RETURN count(*) AS looked,
    collect(CASE
      WHEN m:Memory
        AND m.team_id = $team_id
        AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
        AND coalesce(r.valid_to > $now, true)
        AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
      THEN [
        m.entity_key, r.key, out,
        CASE WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END,
        CASE WHEN m.decay_rate > 0 AND m.salience_at < $now_ms THEN m.salience * exp(m.decay_rate * (m.salience_at - $now_ms) / 86400000.0) ELSE m.salience END,
        $labels IS NULL OR any(label IN labels(m) WHERE label IN $labels)
      ]
    END) AS links
}
RETURN n.entity_key AS key, looked, links
LIMIT 10000
