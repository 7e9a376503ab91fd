// Returns mentions of entities by episodes of Graphiti after a UUID.
// mode: read
// params: groups, after, limit
// returns: uuid, source, target, properties
MATCH (a:Episodic)-[e:MENTIONS]->(b:Entity)
WHERE e.uuid > $after AND ($groups IS NULL OR e.group_id IN $groups)
RETURN e.uuid AS uuid, a.uuid AS source, b.uuid AS target, e {.*} AS properties
ORDER BY uuid LIMIT $limit
