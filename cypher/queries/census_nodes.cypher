// How many nodes of each kind a team shares, and a user has: of each list of natural keys the first $most. Of sources with it
// how many messages they have.
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
