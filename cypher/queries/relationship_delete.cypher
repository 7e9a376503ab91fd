// Removes relationships from the graph and keeps a record of each until it is restored or purged. Returns the keys of those that were there.
// mode: write
// params: team_id, rows, now, user_id
// returns: deleted
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})-[r {team_id: $team_id, key: row.key}]->(b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK a:Memory(team_id, entity_key)
USING INDEX SEEK b:Memory(team_id, entity_key)
CALL (r) {
  OPTIONAL MATCH (f:Former {team_id: $team_id, former_of: r.key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until IS NOT NULL
  WITH f
  ORDER BY f.team_id DESC, f.former_of DESC, f.until DESC
  LIMIT 1
  RETURN reduce(last = 0, at IN [f.until, r.restored_at] | CASE WHEN at > last THEN at ELSE last END) AS last
}
CREATE (d:DeletedRelationship {team_id: $team_id, key: row.key})
SET d += properties(r), d.from_key = row.from, d.to_key = row.to, d.deleted_type = type(r), d.deleted_at = CASE WHEN last > $now.epochMillis THEN datetime({epochMillis: last}) ELSE $now END, d.deleted_by = $user_id,
  d.owner_key = null, d.node_salience = null, d.node_until = null, d.hub_from = null, d.hub_to = null
SET b.source_count = CASE WHEN type(r) = 'mentions' THEN b.source_count - 1 ELSE b.source_count END
DELETE r
RETURN d.key AS deleted
LIMIT 100000
