// Removes relationships of the next deleted nodes of a team, with their former versions: a node may have more than one transaction can delete.
// mode: write
// params: team_id, nodes, skip, limit
// returns: purged
MATCH (n:Deleted {team_id: $team_id})
USING INDEX SEEK n:Deleted(team_id)
WHERE n.deleted_at IS NOT NULL
WITH n
LIMIT $nodes
MATCH (n)-[r]-()
WITH n, r
SKIP $skip
LIMIT $limit
REMOVE n:Former
WITH n, r
WHERE n:Deleted
CALL (n, r) {
  WITH n, r
  WHERE r.key IS NOT NULL
  MATCH (f:Former {team_id: $team_id, former_of: r.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= n.deleted_at.epochMillis
  DELETE f
}
WITH collect(r) AS found
FOREACH (r IN found | DELETE r)
RETURN size(found) AS purged
