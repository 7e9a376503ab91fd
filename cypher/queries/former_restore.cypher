// Stores former versions of an import, except those that exist.
// mode: write
// params: team_id, rows
// returns: position, fresh
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
OPTIONAL MATCH (o:Former {team_id: $team_id, former_of: row.of, until: row.until})
USING INDEX SEEK o:Former(team_id, former_of, until)
WHERE coalesce(o.version, 1) = row.version
  AND o.former_kind = row.kind
WITH position, row, count(o) = 0 AS fresh
FOREACH (one IN CASE WHEN fresh THEN [row] ELSE [] END |
  CREATE (f:Former {team_id: $team_id})
  SET f += one.properties
  SET f.former_kind = one.kind, f.former_of = one.of, f.former_type = one.type, f.from_key = one.from, f.to_key = one.to, f.until = one.until,
    f.thin_at = one.thin_at
)
RETURN position, fresh
