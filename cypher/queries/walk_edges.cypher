// Returns the current relationships of some nodes, of each node the first $walk that the caller may see: for each
// visible node its key, how many relationships were read, the keys of the other ends, and the current salience of the
// relationships. Written for one type; the store puts in the requested types, or any but those to messages
// (cypher.OfTypes, OfTypesBut). $words are the included types when some may be words of the team's own, $without the
// excluded ones; null: all.
// mode: read
// params: team_id, user_id, keys, outgoing, incoming, now_ms, walk, words, without, now
// returns: key, looked, ends, strengths
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
    RETURN r, m
    LIMIT $walk
  UNION ALL
    WITH n
    WHERE $incoming
    MATCH (n)<-[r:relates_to]-(m)
    WHERE (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND ($words IS NULL OR coalesce(r.type_word, type(r)) IN $words)
      AND ($without IS NULL OR NOT coalesce(r.type_word, type(r)) IN $without)
    RETURN r, m
    LIMIT $walk
  }
  WITH r, m
  LIMIT $walk
  WITH r, CASE
    WHEN m:Memory
      AND m.team_id = $team_id
      AND (m.user_id IS NULL OR m.user_id = $user_id OR $user_id IN m.participants)
      AND coalesce(r.valid_to > $now, true)
      AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    THEN m.entity_key
  END AS other
  RETURN count(*) AS looked, collect(other) AS ends,
    collect(CASE
      WHEN other IS NULL THEN null
      WHEN r.decay_rate > 0 AND r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0)
      ELSE coalesce(r.salience, 0.0)
    END) AS strengths
}
RETURN n.entity_key AS key, looked, ends, strengths
LIMIT 10000
