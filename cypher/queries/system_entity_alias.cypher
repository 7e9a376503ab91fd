// Finds the entities of a system with exactly the alias $name, for which $query is the full-text query: one, or more if the alias is ambiguous.
// mode: read
// params: team_id, system, name, query
// returns: entity
CALL () {
  CALL db.index.fulltext.queryNodes('memory_texts', $query, {limit: 100}) YIELD node AS found
  WHERE found.team_id = $team_id
    AND found.system = $system
    AND found:SystemEntity
  RETURN found.entity_key AS key
}
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE $name IN n.aliases
RETURN [
  n.entity_key, n.name, n.description, n.type, n.tags, n.properties, n.seq, n.version,
  n.created_at.epochMillis, n.updated_at.epochMillis, n.trust, n.origin
] AS entity
LIMIT 2
