// Changes the given properties of a user's statements; null removes one. Each row makes a new version, and keeps the former one until
// replaced_at. A statement keeps its last 200 versions. former: the characters of the former versions.
// mode: write
// params: team_id, user_id, rows
// returns: changed, former
UNWIND $rows AS row
MATCH (x:Statement {team_id: $team_id, key: row.key})
WHERE x.user_id = $user_id
CREATE (f:Former {team_id: $team_id})
SET f = x{.*, former_of: x.key, former_kind: 'statement', until: CASE WHEN x.updated_at.epochMillis > row.replaced_at THEN x.updated_at.epochMillis ELSE row.replaced_at END, thin_at: row.thin_at}
SET x += row.properties, x.updated_at = CASE WHEN f.updated_at > x.updated_at THEN f.updated_at ELSE x.updated_at END
WITH x, size(f.text) + size(f.key) + size(f.source_key) + size(f.message_key) + size(f.user_id) AS size
CALL (x) {
  MATCH (o:Former {team_id: $team_id, former_of: x.key})
  USING INDEX SEEK o:Former(team_id, former_of, until)
  WHERE o.until IS NOT NULL AND o.former_kind = 'statement'
  WITH o
  ORDER BY o.until DESC
  SKIP 200
  DELETE o
  RETURN count(o) AS dropped
}
RETURN count(x) AS changed,
  sum(size) AS former
