// Returns entities of Graphiti after a UUID, without their vectors.
// mode: read
// params: groups, after, limit
// returns: uuid, labels, properties
MATCH (n:Entity)
WHERE n.uuid > $after AND ($groups IS NULL OR n.group_id IN $groups)
RETURN n.uuid AS uuid, labels(n) AS labels, n {.*, name_embedding: null} AS properties
ORDER BY uuid LIMIT $limit
