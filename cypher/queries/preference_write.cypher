// Sets preferences of a user, if the user has at most $most then; with $whole it also deletes the others. Each replaced or deleted one
// becomes a former version. Concurrent writes and erasures wait for the lock: the entry of a constraint (see
// schema/0003_preference.cypher), not the node, which is removed at the end. A preference keeps its last 200 versions. former: the characters of the former versions.
// mode: write
// params: team_id, user_id, rows, whole, most, now, replaced_at, thin_at
// returns: fits, created, updated, deleted, former
MERGE (l:PreferenceLock {team_id: $team_id, user_id: $user_id})
WITH l
CALL (l) {
  MATCH (p:Preference {team_id: $team_id, user_id: $user_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL
  RETURN collect(p) AS stored, collect(p.key) AS known
}
WITH l, stored, known, [row IN $rows | row.key] AS given
WITH l, stored, known, $whole OR size(given) + size([key IN known WHERE NOT key IN given]) <= $most AS fits
CALL (stored, fits) {
  UNWIND stored AS p
  WITH p, p.key AS key, [row IN $rows WHERE row.key = p.key] AS next
  WHERE fits AND ($whole AND next = [] OR next[0].properties.value <> p.value)
  CREATE (f:Former {team_id: $team_id})
  SET f = p{.*, former_of: $user_id + '\u001f' + key, former_kind: 'preference', deleted: CASE WHEN next = [] THEN true END,
    until: CASE WHEN p.updated_at.epochMillis > $replaced_at THEN p.updated_at.epochMillis ELSE $replaced_at END, thin_at: $thin_at}
  FOREACH (x IN CASE WHEN next = [] THEN [p] ELSE [] END | DELETE x)
  FOREACH (row IN next | SET p += row.properties, p.updated_at = CASE WHEN f.updated_at > p.updated_at THEN f.updated_at ELSE p.updated_at END)
  WITH key, next, f
  CALL (f) {
    MATCH (o:Former {team_id: $team_id, former_of: f.former_of})
    USING INDEX SEEK o:Former(team_id, former_of, until)
    WHERE o.until IS NOT NULL
    WITH o
    ORDER BY o.until DESC
    SKIP 200
    DELETE o
    RETURN count(o) AS dropped
  }
  RETURN collect([key, next = []]) AS changed, sum(size(f.user_id) + size(f.key) + size(f.value)) AS former
}
CALL (known, fits) {
  UNWIND $rows AS row
  WITH row
  WHERE fits AND NOT row.key IN known
  CREATE (p:Preference {team_id: $team_id, user_id: $user_id, key: row.key})
  SET p += row.properties, p.created_at = $now
  RETURN collect(row.key) AS created
}
DELETE l
RETURN fits,
  created,
  [c IN changed WHERE NOT c[1] | c[0]] AS updated,
  [c IN changed WHERE c[1] | c[0]] AS deleted,
  former
