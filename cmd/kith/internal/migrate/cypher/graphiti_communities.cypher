// Returns communities and sagas of Graphiti after a UUID: only that they are there.
// mode: read
// params: groups, after, limit
// returns: uuid, labels, properties
MATCH (n:Community|Saga)
WHERE n.uuid > $after AND ($groups IS NULL OR n.group_id IN $groups)
RETURN n.uuid AS uuid, labels(n) AS labels, n {.uuid, .name} AS properties
ORDER BY uuid LIMIT $limit
