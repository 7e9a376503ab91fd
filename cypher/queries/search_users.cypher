// Returns whose memory the next nodes of a team and the relationships from them are, by key; the nodes' names with the
// parts of their natural keys, and the last key.
// mode: read
// params: team_id, after, limit
// returns: last, users, names
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]->()
  WHERE r.user_id IS NOT NULL
  RETURN collect(DISTINCT r.user_id) AS ends
}
WITH max(n.entity_key) AS last,
  collect(CASE WHEN n.name <> '' AND NOT n:Message THEN [n.entity_key, n.name,
    [labels(n), n.user_id, n.name, n.canonical_name, n.type, n.natural_key, n.namespace, n.aliases]] END) AS names,
  collect(ends + coalesce(n.participants, []) + [coalesce(n.user_id, '')]) AS lists
RETURN last,
  reduce(all = [], list IN lists | all + [user IN list WHERE NOT user IN all]) AS users,
  names
LIMIT 1
