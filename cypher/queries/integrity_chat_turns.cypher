// Returns a page of a team's chat turns by id, and the inconsistent ones: without a tree, of another user than the
// tree, without an earlier parent in the tree, or with a lease although not generated.
// mode: read
// params: team_id, after, limit
// returns: seen, last, wrong
MATCH (n:ChatTurn {team_id: $team_id})
USING INDEX SEEK n:ChatTurn(team_id, id)
WHERE n.id > $after
WITH n
ORDER BY n.team_id, n.id
LIMIT $limit
CALL (n) {
  OPTIONAL MATCH (s:ChatTree {team_id: $team_id, id: n.tree_id})
  USING INDEX SEEK s:ChatTree(team_id, id)
  RETURN s.user_id AS owner
}
CALL (n) {
  MATCH (n)-[r:REPLIES_TO]->(p)
  RETURN collect(CASE WHEN p.team_id = $team_id AND p.tree_id = n.tree_id AND p.seq < n.seq AND r.team_id = $team_id THEN p.id ELSE '' END) AS parents
}
WITH n, CASE
  WHEN owner IS NULL THEN 'tree'
  WHEN owner <> n.user_id THEN 'user'
  WHEN parents <> CASE WHEN n.parent_id IS NULL THEN [] ELSE [n.parent_id] END THEN 'parent'
  WHEN (n.status = 'generating') <> (n.lease_until IS NOT NULL) THEN 'lease'
END AS fault
RETURN count(*) AS seen,
  max(n.id) AS last,
  collect(CASE WHEN fault IS NOT NULL THEN [n.id, fault] END) AS wrong
LIMIT 1
