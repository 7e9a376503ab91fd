// Returns episodes of Graphiti after a UUID.
// mode: read
// params: groups, after, limit
// returns: uuid, labels, properties
MATCH (n:Episodic)
WHERE n.uuid > $after AND ($groups IS NULL OR n.group_id IN $groups)
RETURN n.uuid AS uuid, labels(n) AS labels, n {.*} AS properties
ORDER BY uuid LIMIT $limit
