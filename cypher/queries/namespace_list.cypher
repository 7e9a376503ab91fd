// Returns the namespaces of the first items whose natural keys are in a range, in the order of these keys, each once, and the number
// of items read.
// mode: read
// params: team_id, from, end, limit
// returns: namespaces, read
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, natural_key)
WHERE n.natural_key >= $from
  AND n.natural_key < $end
WITH n
ORDER BY n.team_id, n.natural_key
LIMIT $limit
WITH collect(n.namespace) AS found
RETURN [i IN range(0, size(found) - 1) WHERE i = 0 OR found[i] <> found[i - 1] | found[i]] AS namespaces,
  size(found) AS read
LIMIT 1
