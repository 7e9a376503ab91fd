// Returns the relationship with a key and its ends, if the caller may see both. Written for one type; the store runs it
// for all existing types (cypher.OfTypes). With $as_of, ends that were deleted since count too. The conditions on the ends follow WITH, so that Neo4j seeks the key first.
// mode: read
// params: team_id, user_id, key, as_of
// returns: type, from, to, properties
MATCH (a)-[r:relates_to {team_id: $team_id, key: $key}]->(b)
WITH a, r, b
WHERE (a:Memory OR a.deleted_at > $as_of)
  AND a.team_id = $team_id
  AND (b:Memory OR b.deleted_at > $as_of)
  AND b.team_id = $team_id
  AND (a.user_id IS NULL OR a.user_id = $user_id)
  AND (b.user_id IS NULL OR b.user_id = $user_id)
RETURN coalesce(r.type_word, type(r)) AS type,
  a.entity_key AS from,
  b.entity_key AS to,
  [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] AS properties
LIMIT 1
