// Changes the given properties of existing nodes; null removes one. A row with replaced_at makes a new version, and keeps the former
// one until then, without its notes, which have a lifetime of their own, and without what Kith derives. Versions follow each
// other also if a clock is behind: none ends before the one before it.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (n, row) {
  WITH n, row
  WHERE row.replaced_at IS NOT NULL
  CALL (n) {
    OPTIONAL MATCH (f:Former {team_id: $team_id, former_of: n.entity_key})
    USING INDEX SEEK f:Former(team_id, former_of, until)
    WHERE f.until IS NOT NULL
    WITH f
    ORDER BY f.team_id DESC, f.former_of DESC, f.until DESC
    LIMIT 1
    RETURN reduce(last = 0, at IN [f.until, n.restored_at, n.created_at.epochMillis] | CASE WHEN at > last THEN at ELSE last END) AS last
  }
  CREATE (f:Former {team_id: $team_id, former_of: n.entity_key, until: CASE WHEN last > row.replaced_at THEN last ELSE row.replaced_at END, thin_at: row.thin_at})
  SET f += n{.*, notes: null, notes_expire_at: null, near: null, search_scope: null, vector: null, vector_scope: null, vector_seq: null, embed_due: null,
    search_name: null, ends_at: null, ranked: null, hub_key: null, hub_types: null, former_kind: row.kind}
  SET n.restored_at = null
}
SET n += row.properties
RETURN count(n) AS updated
