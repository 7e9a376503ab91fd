// Changes the given properties of relationships; null removes one. A row with replaced_at makes a new version, and keeps the former
// one until then, as node_update does.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})-[r {team_id: $team_id, key: row.key}]->(b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK a:Memory(team_id, entity_key)
USING INDEX SEEK b:Memory(team_id, entity_key)
CALL (r, row) {
  WITH r, row
  WHERE row.replaced_at IS NOT NULL
  CALL (r) {
    OPTIONAL MATCH (f:Former {team_id: $team_id, former_of: r.key})
    USING INDEX SEEK f:Former(team_id, former_of, until)
    WHERE f.until IS NOT NULL
    WITH f
    ORDER BY f.team_id DESC, f.former_of DESC, f.until DESC
    LIMIT 1
    RETURN reduce(last = 0, at IN [f.until, r.restored_at] | CASE WHEN at > last THEN at ELSE last END) AS last
  }
  CREATE (f:Former {team_id: $team_id, former_of: r.key, until: CASE WHEN last > row.replaced_at THEN last ELSE row.replaced_at END, thin_at: row.thin_at})
  SET f += r{.*, notes: null, notes_expire_at: null, search_scope: null, owner_key: null, node_key: null, node_salience: null, node_decay_rate: null,
    node_salience_at: null, node_until: null, hub_from: null, hub_to: null, ends_at: null, former_kind: 'relationship', former_type: type(r), from_key: row.from, to_key: row.to}
  SET r.restored_at = null
}
SET r += row.properties
RETURN count(r) AS updated
