// Returns the keys of the next nodes of a team; whose memory they and the relationships from them are; the nodes' names with
// the parts of their natural keys, and what the relationships rest on.
// mode: read
// params: team_id, after, limit
// returns: keys, users, names, links
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]->()
  RETURN collect(DISTINCT r.user_id) AS ends,
    collect(CASE WHEN r.evidence IS NOT NULL THEN [r.key, r.evidence] END) AS resting
}
WITH collect(n.entity_key) AS keys,
  collect(CASE WHEN n.name <> '' AND NOT n:Message THEN [n.entity_key, n.name,
    [labels(n), n.user_id, n.name, n.canonical_name, n.type, n.natural_key, n.namespace, n.aliases, n.evidence]] END) AS names,
  collect(resting) AS links,
  collect(ends + coalesce(n.participants, []) + [coalesce(n.user_id, '')]) AS lists
RETURN keys,
  reduce(all = [], list IN lists | all + [user IN list WHERE NOT user IN all]) AS users,
  names,
  reduce(all = [], some IN links | all + some) AS links
LIMIT 1
