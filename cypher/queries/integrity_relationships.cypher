// Finds faults of the relationships from some nodes, and of those to them from nodes outside the memory. Of several
// faults the first counts. A relationship's rank must match relationship_rank.cypher; its stored salience of the node
// may be an earlier value that has since decayed to the present one, and one that has ended since may still have a rank. $scopes holds the words by which searches select
// what some users have. $plain lists the types that no search selects. Of what rests on sources, the caller checks search_scope.
// mode: read
// params: team_id, entity_keys, records, plain, scopes, now
// returns: entity_key, other_key, id, key, type, fault, user_id, evidence, search_scope
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r]-(m)
WHERE startNode(r) = n
  OR NOT m:Memory
WITH n, r, m,
  CASE WHEN n.owner_of IS NOT NULL THEN n WHEN m.owner_of IS NOT NULL THEN m END AS o,
  CASE WHEN n.owner_of IS NOT NULL THEN m ELSE n END AS x
WITH n, r, m, o, x, o IS NOT NULL AND coalesce(r.valid_to > $now, true) AND m:Memory AND x.state IN ['active', 'core'] AND (x:Person OR x:Concept OR x:Entity)
  AND type(r) IN ['has_relationship_with', 'thinks_about', 'relates_to', 'involves', 'associated_with', 'engages_with', 'connected_to'] AS shown,
  CASE WHEN r.valid_to.epochMillis < coalesce(x.ends_at, 9007199254740991) THEN r.valid_to.epochMillis ELSE coalesce(x.ends_at, 9007199254740991) END AS until
WITH n, r, m, CASE
  WHEN m.team_id <> $team_id THEN 'across_teams'
  WHEN m.team_id IS NULL OR NOT (m:Memory OR m:Deleted OR any(label IN labels(m) WHERE label IN $records))
    OR (m:Memory OR m:Deleted) AND m.entity_key IS NULL THEN 'dangling'
  WHEN r.team_id IS NULL OR r.team_id <> $team_id THEN 'without_team'
  WHEN n.user_id <> m.user_id THEN 'two_users'
  WHEN r.user_id <> coalesce(n.user_id, m.user_id) THEN 'wrong_user'
  WHEN r.salience < 0 OR r.salience > 1 OR isNaN(r.salience) THEN 'salience'
  WHEN shown AND NOT (coalesce(r.owner_key = o.entity_key, false) AND coalesce(CASE WHEN r.node_until < 0 THEN r.rank_until = until AND r.node_until = -r.valid_from.epochMillis ELSE r.node_until = until AND coalesce(r.valid_from <= $now OR r.start_unknown, true) END
    AND abs(r.node_salience * exp(r.node_decay_rate * (r.node_salience_at - coalesce(x.salience_at, 0)) / 86400000.0) - x.salience) < 0.000001, false) AND coalesce(r.node_key = x.entity_key, false))
    OR r.owner_key IS NOT NULL AND NOT coalesce(shown, false) AND coalesce(r.valid_to > $now, true) THEN 'rank'
  WHEN m:Memory AND NOT type(r) IN $plain AND (r.evidence IS NOT NULL
    OR NOT coalesce(r.search_scope = coalesce($scopes[coalesce(r.user_id, '')], split(r.search_scope, ' ')[0]) + ' t' + coalesce(r.type_word, type(r)) + '0', false)) THEN 'search_scope'
  END AS fault
WHERE fault IS NOT NULL
RETURN n.entity_key AS entity_key,
  m.entity_key AS other_key,
  elementId(r) AS id,
  r.key AS key,
  coalesce(r.type_word, type(r)) AS type,
  fault,
  r.user_id AS user_id,
  r.evidence AS evidence,
  r.search_scope AS search_scope
LIMIT 100000
