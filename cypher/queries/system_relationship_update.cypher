// Changes the given properties of relationships of systems. A row with replaced_at makes a new version, and keeps the former one until
// then; one with moved_at only has another place in its system (see system_entity_update).
// A row whose stored_version is not that of the relationship any more changes nothing.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH ()-[r:system_relationship {team_id: $team_id, from_key: row.from_key, to_key: row.to_key, relationship_type: row.relationship_type}]->()
USING INDEX SEEK r:system_relationship(team_id, from_key, to_key, relationship_type)
SET r.team_id = $team_id
WITH r, row
WHERE coalesce(r.version, 1) = row.stored_version
CALL (r, row) {
  WITH r, row
  WHERE row.replaced_at IS NOT NULL
  CREATE (f:Former {team_id: $team_id})
  SET f = r{.*, notes: null, notes_expire_at: null, search_scope: null, hub_from: null, hub_to: null, former_of: r.key, former_kind: 'system_relationship',
    former_type: 'system_relationship', until: row.replaced_at, thin_at: row.thin_at}
  SET r.restored_at = null
}
CALL (r, row) {
  WITH r, row
  WHERE row.moved_at IS NOT NULL
  CREATE (f:Former {team_id: $team_id})
  SET f.former_of = r.key + '\u001fplace', f.former_kind = 'place', f.seq = r.seq, f.until = row.moved_at, f.thin_at = row.thin_at
}
SET r += row.properties
RETURN count(r) AS updated
