// Thins out the former versions of the next records: of those that ended on the same day, the first and the last stay.
// mode: write
// scope: server
// params: cutoff, skip, limit
// returns: purged
MATCH (f:Former)
USING INDEX SEEK f:Former(thin_at)
WHERE f.thin_at <= $cutoff.epochMillis
WITH f
SKIP $skip
LIMIT $limit
WITH DISTINCT f.team_id AS team, f.former_of AS of, f.former_kind AS kind, f.thin_at AS thin_at
MATCH (v:Former {team_id: team, former_of: of})
USING INDEX SEEK v:Former(team_id, former_of, until)
WHERE v.until IS NOT NULL
  AND v.thin_at = thin_at
  AND v.former_kind = kind
WITH team, of, kind, thin_at, v
ORDER BY v.until, v.version
WITH team, of, kind, thin_at, collect(v) AS day
FOREACH (v IN day[1..-1] | DELETE v)
FOREACH (v IN [day[0], day[-1]] | SET v.thin_at = null)
RETURN sum(size(day)) AS purged
