// Takes a lease, or keeps it, for the holder until $until; not while another one holds it, and not before it is due again.
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
