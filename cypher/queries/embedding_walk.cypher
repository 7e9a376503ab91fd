// Marks those of a team's next nodes to wait for a vector that have none, or one from before $base. Nodes that
// maintenance derives from others get no vector, and neither does the person generated for a user.
// mode: write
// params: team_id, after, limit, base, now_ms
// returns: seen, last, marked
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
CALL (n) {
  WITH n
  WHERE n.embed_due IS NULL
    AND coalesce(n.vector_seq <= $base, true)
    AND NOT n:Storyline
    AND NOT n:Macro
    AND (n.owner_generated IS NULL OR n.description <> '')
  REMOVE n:Former
  WITH n
  WHERE n:Memory
  SET n.embed_due = coalesce(n.embed_due, $now_ms)
  RETURN count(n) AS marked
}
RETURN count(n) AS seen,
  max(n.entity_key) AS last,
  sum(marked) AS marked
