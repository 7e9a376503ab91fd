// Returns the next team, in the order of ids, with a text that waits for its vector.
// mode: read
// scope: server
// params: after, now_ms
// returns: team
MATCH (n:Memory)
USING INDEX SEEK n:Memory(team_id, embed_due)
WHERE n.team_id > $after
  AND n.embed_due <= $now_ms
WITH n
ORDER BY n.team_id, n.embed_due
LIMIT 1
RETURN n.team_id AS team
LIMIT 1
