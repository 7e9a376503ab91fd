// Releases a lease; with $due_at the work is done, and not due before then.
// mode: write
// scope: server
// params: name, holder, due_at
// returns: held
MATCH (l:Lease {name: $name})
SET l.name = $name
WITH l
WHERE l.holder = $holder
SET l.holder = null, l.until = null,
  l.due_at = coalesce($due_at, l.due_at),
  l.team = CASE WHEN $due_at IS NULL THEN l.team END,
  l.key = CASE WHEN $due_at IS NULL THEN l.key END
RETURN count(l) AS held
