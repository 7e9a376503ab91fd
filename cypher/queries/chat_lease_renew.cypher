// Extends the leases of a process's generations, and returns which they are.
// mode: write
// scope: server
// params: holder, now, until
// returns: held
MATCH (o:ChatTurn {lease_holder: $holder})
USING INDEX SEEK o:ChatTurn(lease_holder)
SET o:ChatTurn
WITH o.team_id AS team_id, o.id AS id
MATCH (n:ChatTurn {team_id: team_id, id: id})
USING INDEX SEEK n:ChatTurn(team_id, id)
WHERE n.lease_holder = $holder
  AND n.status = 'generating'
  AND n.lease_until > $now
SET n.lease_until = $until
RETURN collect([n.team_id, n.id, n.attempt]) AS held
