// Sets missing index columns on the next relationships ranked by an older version.
// mode: write
// scope: server
// params: limit
// returns: renewed
MATCH (o:Person)-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to]-(n:Memory)
WHERE o.owner_of IS NOT NULL
  AND r.owner_key = o.entity_key
  AND (r.node_until IS NULL OR r.node_key IS NULL)
WITH r, n
LIMIT $limit
SET r.node_key = n.entity_key,
  r.decay_rate = coalesce(r.decay_rate, 0.0),
  r.salience_at = coalesce(r.salience_at, 0),
  r.node_decay_rate = coalesce(n.decay_rate, 0.0),
  r.node_salience_at = coalesce(n.salience_at, 0),
  r.node_until = coalesce(n.ends_at, 9007199254740991),
  n.ranked = true
RETURN count(r) AS renewed
