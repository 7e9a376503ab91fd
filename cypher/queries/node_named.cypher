// Finds nodes by name that the caller may see, at most ten of a name. Excludes stories, which have the names of their
// subjects, and entities of systems, which belong to their systems.
// mode: read
// params: team_id, user_id, names
// returns: search_name, entity_key, labels, name
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
RETURN search_name,
  n.entity_key AS entity_key,
  labels(n) AS labels,
  n.name AS name
LIMIT 10000
