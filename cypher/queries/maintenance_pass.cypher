// Maintains a team's next nodes and some of the relationships from them: decays stored saliences from before $stale to now, and
// archives what has decayed away or has ended. Values from later times stay unchanged. Returns the last node of the
// pass, the nodes that left contexts, expired notes, the pairs of nodes of relationships that begin or end in the future or
// have a rank of before they did, and when they will. If as many relationships as $links were changed, more may be left: the statement
// goes on with them if it is run again. hubs: the keys of hubs,
// and of nodes with more relationships than $hub.
// mode: write
// params: team_id, after, limit, links, hub, now, now_ms, stale_ms
// returns: seen, last, archived, noted, moved, noted_relationships, due, borders, hubs
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
CALL (n) {
  WITH n
  WHERE n.decay_rate > 0 AND n.salience_at < $stale_ms OR n.ends_at <= $now_ms AND n.state <> 'archived'
  REMOVE n:Former
  WITH n
  WHERE n:Memory
  WITH n, CASE WHEN n.decay_rate > 0 AND n.salience_at < $now_ms THEN n.salience * exp(n.decay_rate * (n.salience_at - $now_ms) / 86400000.0) ELSE n.salience END AS salience
  WITH n, salience, n.state <> 'archived' AND coalesce(n.ends_at <= $now_ms, false) AS ended
  SET n.salience = salience,
    n.salience_at = CASE WHEN n.salience_at < $now_ms THEN $now_ms ELSE n.salience_at END,
    n.state = CASE WHEN ended THEN 'archived' ELSE n.state END
  RETURN collect(CASE WHEN ended THEN n.entity_key END) AS gone
}
WITH n, gone
ORDER BY n.entity_key
WITH collect(n) AS nodes,
  count(n) AS seen,
  max(n.entity_key) AS last,
  reduce(all = [], keys IN collect(gone) | all + keys) AS archived,
  collect(CASE WHEN n.notes_expire_at <= $now_ms THEN n.entity_key END) AS noted,
  collect(CASE WHEN n.hub_key IS NOT NULL OR COUNT { (n)--() } - COUNT { (n)-[:has_message]->() } > $hub THEN n.entity_key END) AS hubs
CALL (nodes) {
  UNWIND nodes AS n
  MATCH (n)-[r {team_id: $team_id}]->(:Memory)
  WHERE r.decay_rate > 0 AND r.salience_at < $stale_ms
  WITH r
  LIMIT $links
  SET r.team_id = $team_id
  WITH r, CASE WHEN r.salience_at < $now_ms THEN r.salience * exp(r.decay_rate * (r.salience_at - $now_ms) / 86400000.0) ELSE r.salience END AS salience
  SET r.state = CASE WHEN r.salience >= 0.01 AND salience < 0.01 THEN 'archived' ELSE r.state END,
    r.salience = salience,
    r.salience_at = CASE WHEN r.salience_at < $now_ms THEN $now_ms ELSE r.salience_at END
  RETURN count(r) AS moved
}
CALL (nodes) {
  UNWIND nodes AS n
  MATCH (n)-[r {team_id: $team_id}]->(m:Memory)
  WHERE r.notes_expire_at <= $now_ms
  WITH n, r, m
  LIMIT $links
  RETURN collect([n.entity_key, coalesce(r.type_word, type(r)), m.entity_key, r.key]) AS noted_relationships
}
CALL (nodes) {
  UNWIND nodes AS n
  MATCH (n)-[r {team_id: $team_id}]->(m:Memory)
  WHERE r.node_until >= -$now_ms AND r.node_until <= $now_ms
    OR r.valid_from > $now
    OR r.valid_to > $now
  WITH n, r, m
  LIMIT $links
  RETURN collect([n.entity_key, m.entity_key]) AS due,
    reduce(all = [], some IN collect([r.valid_from.epochMillis, r.valid_to.epochMillis]) | all + [b IN some WHERE b > $now_ms]) AS borders
}
RETURN seen,
  last,
  archived,
  noted,
  moved,
  noted_relationships,
  due,
  borders,
  hubs
