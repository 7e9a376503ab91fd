// Counts the nodes of each kind that a team shares and that a user has. Returns the first $most natural keys of each
// list, and for sources also their number of messages.
// mode: read
// params: team_id, prefixes, most
// returns: prefix, nodes, messages
UNWIND $prefixes AS prefix
CALL (prefix) {
  MATCH (n:Memory {team_id: $team_id})
  USING INDEX SEEK n:Memory(team_id, natural_key)
  WHERE n.natural_key STARTS WITH prefix
  WITH n
  LIMIT $most
  RETURN count(n) AS nodes, sum(coalesce(n.message_count, 0)) AS messages
}
RETURN prefix, nodes, messages
LIMIT 1000
