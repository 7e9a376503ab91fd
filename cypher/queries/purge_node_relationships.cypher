// Removes relationships of the next nodes deleted before $cutoff, with their former versions: a node may have more than one transaction can
// delete. Nobody can restore these nodes any more.
// mode: write
// scope: server
// params: cutoff, nodes, skip, limit
// returns: purged
MATCH (n:Deleted)
USING INDEX SEEK n:Deleted(deleted_at)
WHERE n.deleted_at <= $cutoff
WITH n
ORDER BY n.deleted_at
LIMIT $nodes
MATCH (n)-[r]-()
WITH n, r
SKIP $skip
LIMIT $limit
CALL (n, r) {
  WITH n, r
  WHERE r.key IS NOT NULL
  MATCH (f:Former {team_id: n.team_id, former_of: r.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until <= n.deleted_at.epochMillis
  DELETE f
}
WITH collect(r) AS found
FOREACH (r IN found | DELETE r)
RETURN size(found) AS purged
