// Returns facts of Graphiti after a UUID, without their vectors.
// mode: read
// params: groups, after, limit
// returns: uuid, source, target, properties
MATCH (a:Entity)-[e:RELATES_TO]->(b:Entity)
WHERE e.uuid > $after AND ($groups IS NULL OR e.group_id IN $groups)
RETURN e.uuid AS uuid, a.uuid AS source, b.uuid AS target, e {.*, fact_embedding: null} AS properties
ORDER BY uuid LIMIT $limit
