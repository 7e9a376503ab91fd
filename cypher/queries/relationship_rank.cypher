// Keeps the order of context_relationships.cypher: of all relationships between an owner and a node, the strongest
// current one carries owner_key, node_salience and node_key while the node is one the context may show, and no other
// does. Give the pairs whose relationships changed, and the nodes whose salience, state or ownership did.
// mode: write
// params: team_id, pairs, entity_keys
// returns: pairs
CALL () {
  UNWIND $pairs AS pair
  MATCH (a:Memory {team_id: $team_id, entity_key: pair.from})
  MATCH (b:Memory {team_id: $team_id, entity_key: pair.to})
  RETURN a, b
  UNION
  UNWIND $entity_keys AS key
  MATCH (a:Memory {team_id: $team_id, entity_key: key})-[:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to]-(b:Memory)
  RETURN a, b
}
WITH a, b
WHERE a <> b AND (a.owner_of IS NOT NULL OR b.owner_of IS NOT NULL)
WITH DISTINCT
  CASE WHEN a.owner_of IS NOT NULL THEN a ELSE b END AS o,
  CASE WHEN a.owner_of IS NOT NULL THEN b ELSE a END AS n
CALL (o, n) {
  MATCH (o)-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to]-(n)
  WITH r, r.valid_to IS NULL AND r.deleted_at IS NULL AND n.deleted_at IS NULL
    AND n.state IN ['active', 'core'] AND (n:Person OR n:Concept OR n:Entity) AS counts
  ORDER BY counts DESC, r.salience DESC, r.key DESC
  WITH collect({relationship: r, counts: counts}) AS ranked
  UNWIND range(0, size(ranked) - 1) AS place
  WITH ranked[place].relationship AS r, place = 0 AND ranked[place].counts AS shown
  SET r.owner_key = CASE WHEN shown THEN o.entity_key END,
    r.node_salience = CASE WHEN shown THEN n.salience END,
    r.node_key = CASE WHEN shown THEN n.entity_key END
  RETURN count(r) AS relationships
}
RETURN count(n) AS pairs
