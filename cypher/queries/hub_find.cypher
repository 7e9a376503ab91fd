// Returns what a pass needs to know of a node that may be a hub: whether its relationships are marked, the types that are read by an
// index, and those of which it has more than $few. Without $again it returns no row of a hub, and of a node with at most $hub relationships.
// mode: read
// params: team_id, entity_key, few, hub, again
// returns: marked, ready, types
MATCH (n:Memory {team_id: $team_id, entity_key: $entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE $again
  OR n.hub_key IS NULL AND COUNT { (n)--() } - COUNT { (n)-[:has_message]->() } > $hub
CALL (n) {
  MATCH (n)-[r:!has_message&!system_relationship {team_id: $team_id}]-()
  WITH type(r) AS type, count(*) AS links
  WHERE links > $few
  RETURN collect(type) AS types
}
RETURN n.hub_key IS NOT NULL AS marked, coalesce(n.hub_types, []) AS ready, types
LIMIT 1
