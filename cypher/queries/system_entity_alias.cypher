// Finds the entities of a system with an alias, for which $query is the full-text query: one, or more if the alias is ambiguous.
// mode: read
// params: team_id, system, query
// returns: entity
CALL () {
  CALL db.index.fulltext.queryNodes('memory_texts', $query, {limit: 100}) YIELD node AS n
  WHERE n.team_id = $team_id
    AND n.system = $system
    AND n:SystemEntity
  RETURN n
}
RETURN [
  n.entity_key, n.name, n.description, n.type, n.tags, n.properties, n.seq, n.version,
  n.created_at.epochMillis, n.updated_at.epochMillis
] AS entity
LIMIT 2
