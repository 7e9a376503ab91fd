// Returns which of some pairs of nodes cannot be proposed: one source mentions both, or they were refused, under their keys or those of
// nodes that were merged into them ($pairs: the keys, and all names of the pair). Looks from the node with fewer mentions.
// mode: read
// params: team_id, pairs
// returns: position, together, refused
UNWIND $pairs AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.first_key})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: $team_id, entity_key: row.second_key})
USING INDEX SEEK b:Memory(team_id, entity_key)
CALL (row) {
  UNWIND row.names AS pair
  OPTIONAL MATCH (d:DuplicateRefusal {team_id: $team_id, pair: pair})
  USING INDEX SEEK d:DuplicateRefusal(team_id, pair)
  RETURN count(d) > 0 AS refused
}
WITH row, refused, CASE WHEN COUNT { (a)<-[:mentions]-() } <= COUNT { (b)<-[:mentions]-() } THEN [a, b] ELSE [b, a] END AS ends
WITH row, refused, ends[0] AS few, ends[1] AS many
CALL (few, many) {
  MATCH (few)<-[:mentions {team_id: $team_id}]-(s:Source)
  WHERE EXISTS { (s)-[:mentions {team_id: $team_id}]->(many) }
  WITH s
  LIMIT 1
  RETURN count(s) > 0 AS together
}
RETURN row.position AS position,
  together,
  refused
LIMIT 100000
