// Changes the given properties of entities of systems. A new text that waits for its vector gets a new time of waiting. A row with
// replaced_at makes a new version, and keeps the former one until then, as node_update does. A row with moved_at only has another place
// in its system: the former place is kept until then, apart from the versions.
// A row whose stored_version is not that of the entity any more changes nothing: another caller changed it as a node.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
REMOVE n:Former
WITH n, row
WHERE n:Memory AND n.version = row.stored_version
CALL (n, row) {
  WITH n, row
  WHERE row.replaced_at IS NOT NULL
  CREATE (f:Former {team_id: $team_id})
  SET f = n{.*, notes: null, notes_expire_at: null, near: null, search_scope: null, vector: null, vector_scope: null, vector_seq: null, embed_due: null, hub_key: null, hub_types: null,
    former_of: n.entity_key, former_kind: 'system_entity', until: row.replaced_at, thin_at: row.thin_at}
  SET n.restored_at = null
}
CALL (n, row) {
  WITH n, row
  WHERE row.moved_at IS NOT NULL
  CREATE (f:Former {team_id: $team_id})
  SET f.former_of = n.entity_key + '\u001fplace', f.former_kind = 'place', f.seq = n.seq, f.until = row.moved_at, f.thin_at = row.thin_at
}
WITH n, row, CASE WHEN row.embed_due = n.embed_due THEN n.embed_due + 1 ELSE coalesce(row.embed_due, n.embed_due) END AS embed_due
SET n += row.properties, n.embed_due = embed_due
RETURN count(n) AS updated
