// Finds nodes by name or alias that the caller may see, at most ten of each. aliases: names, each with the full-text query for the nodes
// that have it as an alias. Excludes stories, which have the names of their subjects, and entities of systems, which belong to their
// systems.
// mode: read
// params: team_id, user_id, names, aliases
// returns: search_name, entity_key, labels, name
CALL () {
  UNWIND $names AS search_name
  CALL (search_name) {
    MATCH (n:Memory {team_id: $team_id, search_name: search_name})
    USING INDEX SEEK n:Memory(team_id, search_name)
    WHERE (n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants)
      AND NOT n:Storyline
      AND NOT n:Macro
      AND NOT n:SystemEntity
    RETURN n
    ORDER BY n.entity_key
    LIMIT 10
  }
  RETURN search_name, n
UNION
  UNWIND $aliases AS alias
  CALL (alias) {
    CALL db.index.fulltext.queryNodes('memory_texts', alias.query, {limit: 100}) YIELD node AS n
    WHERE n.team_id = $team_id
      AND NOT n:SystemEntity
    RETURN n
    ORDER BY n.entity_key
    LIMIT 10
  }
  RETURN alias.name AS search_name, n
}
RETURN search_name,
  n.entity_key AS entity_key,
  labels(n) AS labels,
  n.name AS name
LIMIT 10000
