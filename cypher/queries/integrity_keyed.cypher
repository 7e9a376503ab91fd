// Counts all nodes, then those with a team and a key by their index, then all nodes again.
// mode: read
// scope: server
// params:
// returns: before, keyed, after
MATCH (n:Memory)
WITH count(n) AS before
CALL (before) {
  MATCH (n:Memory)
  USING INDEX n:Memory(team_id, entity_key)
  WHERE n.team_id IS NOT NULL
    AND n.entity_key IS NOT NULL
  RETURN count(n) AS keyed
}
CALL (keyed) {
  MATCH (n:Memory)
  RETURN count(n) AS after
}
RETURN before,
  keyed,
  after
LIMIT 1
