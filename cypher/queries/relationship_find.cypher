// For each row: are its ends there and visible; and, in rows of their own, the current relationship of its type between
// them. One that was closed at the row's own valid_to comes too, and first: writing that again finds it.
// The hints keep the planner from reading all relationships while it knows of few, in a database that is new.
// mode: read
// params: team_id, user_id, rows
// returns: position, from_found, to_found, from_labels, to_labels, from_user, to_user, from_started_at, relationship
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
OPTIONAL MATCH (a:Memory {team_id: $team_id, entity_key: row.from})
WHERE (a.user_id IS NULL OR a.user_id = $user_id) AND a.deleted_at IS NULL
OPTIONAL MATCH (b:Memory {team_id: $team_id, entity_key: row.to})
WHERE (b.user_id IS NULL OR b.user_id = $user_id) AND b.deleted_at IS NULL
RETURN position,
  a IS NOT NULL AS from_found,
  b IS NOT NULL AS to_found,
  labels(a) AS from_labels,
  labels(b) AS to_labels,
  a.user_id AS from_user,
  b.user_id AS to_user,
  a.started_at AS from_started_at,
  null AS relationship
LIMIT 100000
UNION ALL
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})-[r {team_id: $team_id}]->(b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK a:Memory(team_id, entity_key)
USING INDEX SEEK b:Memory(team_id, entity_key)
WHERE type(r) = row.type
  AND (r.valid_to IS NULL OR r.valid_to = row.valid_to)
  AND r.deleted_at IS NULL
WITH position, r
ORDER BY position, r.valid_to
RETURN position,
  null AS from_found,
  null AS to_found,
  null AS from_labels,
  null AS to_labels,
  null AS from_user,
  null AS to_user,
  null AS from_started_at,
  [
  r.key, r.description, r.salience, r.confidence, r.state, r.attitude, r.proximity, r.relationship_type,
  r.valid_from, r.valid_to, r.recorded_by, r.properties
  ] AS relationship
LIMIT 100000
