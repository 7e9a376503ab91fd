// Stores statements of an import with all their properties; null removes one. Of an existing one the former version is kept until
// replaced_at. former: the characters of the former versions.
// mode: write
// params: team_id, rows, now
// returns: stored, former
UNWIND $rows AS row
OPTIONAL MATCH (o:Statement {team_id: $team_id, key: row.key})
CALL (o, row) {
  WITH o, row
  WHERE o IS NOT NULL
  CREATE (f:Former {team_id: $team_id})
  SET f = o{.*, former_of: o.key, former_kind: 'statement', until: row.replaced_at, thin_at: row.thin_at}
  RETURN coalesce(sum(size(f.text) + size(f.key) + size(f.source_key) + size(f.message_key) + size(f.user_id)), 0) AS size
}
MERGE (x:Statement {team_id: $team_id, key: row.key})
ON CREATE SET x.created_at = $now
SET x += row.properties
RETURN count(x) AS stored,
  sum(size) AS former
