// For each row: are its ends there and visible, and the current relationship of its type between them. One that was
// closed at the row's own valid_to comes too, and first: writing that again finds it.
// mode: read
// params: team_id, user_id, rows
// returns: position, from_found, to_found, from_labels, to_labels, from_user, to_user, from_started_at, relationship
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
OPTIONAL MATCH (a:Memory {team_id: $team_id, entity_key: row.from})
WHERE (a.user_id IS NULL OR a.user_id = $user_id) AND a.deleted_at IS NULL
OPTIONAL MATCH (b:Memory {team_id: $team_id, entity_key: row.to})
WHERE (b.user_id IS NULL OR b.user_id = $user_id) AND b.deleted_at IS NULL
OPTIONAL MATCH (a)-[r {team_id: $team_id}]->(b)
WHERE type(r) = row.type AND (r.valid_to IS NULL OR r.valid_to = row.valid_to) AND r.deleted_at IS NULL
WITH position, a, b, r
ORDER BY position, r.valid_to
RETURN position,
  a IS NOT NULL AS from_found,
  b IS NOT NULL AS to_found,
  labels(a) AS from_labels,
  labels(b) AS to_labels,
  a.user_id AS from_user,
  b.user_id AS to_user,
  a.started_at AS from_started_at,
  CASE WHEN r IS NULL THEN null ELSE [
    r.key, r.description, r.salience, r.confidence, r.state, r.attitude, r.proximity, r.relationship_type,
    r.valid_from, r.valid_to, r.recorded_by, r.properties
  ] END AS relationship
LIMIT 100000
