// Returns a page of a team's former versions of nodes, by record: how many records were read, the last one's key, and the records that
// are neither stored nor deleted, so that their versions should be gone.
// mode: read
// params: team_id, after, limit
// returns: seen, last, wrong
CALL () {
  MATCH (f:Former {team_id: $team_id})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.former_of > $after
    AND f.until IS NOT NULL
  WITH DISTINCT f.former_of AS of, f.former_kind AS kind
  ORDER BY of, kind
  LIMIT $limit
  RETURN of, kind
}
WITH of, kind, NOT kind IN ['relationship', 'system', 'system_relationship', 'system_entity', 'place', 'statement', 'preference']
  AND NOT EXISTS { (:Memory {team_id: $team_id, entity_key: of}) }
  AND NOT EXISTS { (:Deleted {team_id: $team_id, entity_key: of}) } AS lost
RETURN count(*) AS seen,
  max(of) AS last,
  collect(DISTINCT CASE WHEN lost THEN [of, kind] END) AS wrong
LIMIT 1
