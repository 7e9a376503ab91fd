// Deletes relationships of a system. Each becomes a former version, and a list of their keys is kept under $listed, by which
// system_load_at finds them.
// mode: write
// params: team_id, rows, listed, now, thin_at
// returns: deleted
UNWIND $rows AS row
MATCH ()-[r:system_relationship {team_id: $team_id, from_key: row.from_key, to_key: row.to_key, relationship_type: row.relationship_type}]->()
USING INDEX SEEK r:system_relationship(team_id, from_key, to_key, relationship_type)
CREATE (f:Former {team_id: $team_id})
SET f = r{.*, notes: null, notes_expire_at: null, search_scope: null, hub_from: null, hub_to: null, former_of: r.key, former_kind: 'system_relationship',
  former_type: 'system_relationship', deleted: true, until: $now, thin_at: $thin_at}
DELETE r
WITH collect(f.former_of) AS gone
CALL (gone) {
  UNWIND range(0, size(gone) - 1, 250) AS start
  CREATE (l:Former {team_id: $team_id, former_of: $listed})
  SET l.former_kind = 'system', l.until = $now, l.version = start, l.relationship_keys = gone[start..start + 250]
  RETURN count(l) AS lists
}
RETURN size(gone) AS deleted
