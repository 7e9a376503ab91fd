// Returns whose the relationships from some nodes are, and what those rest on that were derived from sources.
// mode: read
// params: team_id, entity_keys
// returns: users, links
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r {team_id: $team_id}]->()
RETURN collect(DISTINCT r.user_id) AS users,
  collect(CASE WHEN r.evidence IS NOT NULL THEN [r.key, r.evidence] END) AS links
LIMIT 1
