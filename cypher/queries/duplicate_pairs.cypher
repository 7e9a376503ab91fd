// Returns which of some pairs of nodes cannot be proposed: they are linked, one source mentions both, or they were refused, under their keys
// or those of nodes that were merged into them, the first $names of each. Only relationships and sources count that everybody sees
// who sees the pair. A refusal is found by the key with which its pair begins, among the first $refusals with that key.
// mode: read
// params: team_id, pairs, names, refusals, separator, now
// returns: position, linked, together, refused
UNWIND $pairs AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.first_key})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: $team_id, entity_key: row.second_key})
USING INDEX SEEK b:Memory(team_id, entity_key)
CALL (row) {
  OPTIONAL MATCH (d:DuplicateRefusal {team_id: $team_id, pair: row.pair})
  USING INDEX SEEK d:DuplicateRefusal(team_id, pair)
  RETURN count(d) > 0 AS itself
}
WITH row, a, b, itself, [a.entity_key] + coalesce(a.merged_keys, [])[..$names] AS of_a, [b.entity_key] + coalesce(b.merged_keys, [])[..$names] AS of_b
CALL (itself, of_a, of_b) {
  UNWIND CASE WHEN itself OR size(of_a) + size(of_b) = 2 THEN [] ELSE [[of_a, of_b], [of_b, of_a]] END AS sides
  UNWIND sides[0] AS first
  CALL (first, sides) {
    MATCH (d:DuplicateRefusal {team_id: $team_id})
    USING INDEX SEEK d:DuplicateRefusal(team_id, pair)
    WHERE d.pair STARTS WITH first + $separator
    WITH d, sides
    LIMIT $refusals
    WHERE d.second_key IN sides[1]
    RETURN d
    LIMIT 1
  }
  WITH d
  LIMIT 1
  RETURN count(d) > 0 AS of_parts
}
WITH row, a, b, itself OR of_parts AS refused,
  CASE WHEN COUNT { (a)<-[:mentions]-() } <= COUNT { (b)<-[:mentions]-() } THEN [a, b] ELSE [b, a] END AS ends
WITH row, a, b, refused, ends[0] AS few, ends[1] AS many
CALL (few, many) {
  MATCH (few)<-[:mentions {team_id: $team_id}]-(s:Source)
  WHERE (s.user_id IS NULL OR s.user_id = few.user_id)
    AND EXISTS { (s)-[:mentions {team_id: $team_id}]->(many) }
  WITH s
  LIMIT 1
  RETURN count(s) > 0 AS together
}
RETURN row.position AS position,
  EXISTS {
    MATCH (a)-[r {team_id: $team_id}]-(b)
    WHERE coalesce(r.valid_to > $now, true)
      AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
      AND type(r) <> 'mentions'
      AND (r.user_id IS NULL OR r.user_id = a.user_id)
  } AS linked,
  together,
  refused
LIMIT 100000
