// Takes or extends a lease for the holder until $until, unless another holder has it or it is not due yet.
// mode: write
// scope: server
// params: name, holder, now, until
// returns: held, team, key
MERGE (l:Lease {name: $name})
SET l.name = $name
WITH l, l.holder = $holder OR coalesce(l.until <= $now, true) AND coalesce(l.due_at <= $now, true) AS held
SET l.holder = CASE WHEN held THEN $holder ELSE l.holder END,
  l.until = CASE WHEN held THEN $until ELSE l.until END
RETURN held,
  l.team AS team,
  l.key AS key
