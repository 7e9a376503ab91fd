// What some nodes have current relationships with, each of the nodes with the first $walk that the caller may see: for each of
// the nodes that the caller may see its key, how many relationships were looked at, and what is at their other ends, with the current
// salience of both, and whether that is of the kinds that are wanted. Written for one type; the store puts those in that are asked for, or any but those to messages (cypher.OfTypes, OfTypesBut).
// $words are the types that are let through where some of them may be words of the team's own, $without those that are not; null: all.
// mode: read
// params: team_id, user_id, keys, outgoing, incoming, labels, now_ms, walk, words, without
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
        AND r.valid_to IS NULL
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
