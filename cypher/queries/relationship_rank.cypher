// Updates what context_relationships.cypher walks. Relationships that have not ended between an owner and a node that the
// context may show carry owner_key, node_key and the node's ranking values; no other relationships do. The parameters are the
// pairs whose relationships changed, the nodes all of whose relationships may have got such values or lost them (entity_keys), and the nodes
// whose values changed (node_keys), of which only ranked relationships are read. node_until is when the
// relationship ends, or the node has decayed away or ended before; where the relationship begins later, it is the
// negative of that time, and rank_until has the end. So the index alone says at any moment which ones hold.
// mode: write
// params: team_id, pairs, entity_keys, node_keys, now
// returns: relationships
CALL () {
  UNWIND $pairs AS pair
  MATCH (a:Memory {team_id: $team_id, entity_key: pair.from})
  USING INDEX SEEK a:Memory(team_id, entity_key)
  MATCH (b:Memory {team_id: $team_id, entity_key: pair.to})
  USING INDEX SEEK b:Memory(team_id, entity_key)
  WHERE a.owner_of IS NOT NULL OR b.owner_of IS NOT NULL
  MATCH (a)-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to]-(b)
  RETURN r
  UNION
  UNWIND $entity_keys AS key
  MATCH (a:Memory {team_id: $team_id, entity_key: key})-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to]-(b:Memory)
  USING INDEX SEEK a:Memory(team_id, entity_key)
  WHERE a.owner_of IS NOT NULL OR b.owner_of IS NOT NULL OR r.owner_key IS NOT NULL
  RETURN r
  UNION
  UNWIND $node_keys AS key
  MATCH ()-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to {team_id: $team_id, node_key: key}]->()
  RETURN r
}
WITH r, startNode(r) AS a, endNode(r) AS b
WHERE a:Memory
  AND b:Memory
WITH r,
  CASE WHEN a.owner_of IS NOT NULL THEN a ELSE b END AS o,
  CASE WHEN a.owner_of IS NOT NULL THEN b ELSE a END AS n
WHERE o.owner_of IS NOT NULL OR r.owner_key IS NOT NULL
WITH o, n, r, o.owner_of IS NOT NULL AND coalesce(r.valid_to > $now, true)
  AND n.state IN ['active', 'core'] AND (n:Person OR n:Concept OR n:Entity) AS shown,
  CASE WHEN r.valid_to.epochMillis < coalesce(n.ends_at, 9007199254740991) THEN r.valid_to.epochMillis ELSE coalesce(n.ends_at, 9007199254740991) END AS until
SET r.owner_key = CASE WHEN shown THEN o.entity_key END,
  r.decay_rate = coalesce(r.decay_rate, 0.0),
  r.salience_at = coalesce(r.salience_at, 0),
  r.node_key = CASE WHEN shown THEN n.entity_key END,
  r.node_salience = CASE WHEN shown THEN n.salience END,
  r.node_decay_rate = CASE WHEN shown THEN coalesce(n.decay_rate, 0.0) END,
  r.node_salience_at = CASE WHEN shown THEN coalesce(n.salience_at, 0) END,
  r.rank_until = CASE WHEN shown AND r.valid_from > $now AND r.start_unknown IS NULL THEN until END,
  r.node_until = CASE WHEN NOT shown THEN null WHEN r.valid_from > $now AND r.start_unknown IS NULL THEN -r.valid_from.epochMillis ELSE until END,
  n.ranked = CASE WHEN shown THEN true ELSE n.ranked END
RETURN count(r) AS relationships
