// Adds to a team's usage, and returns the new usage, until when the count is trusted (milliseconds since 1970; 0 if
// never counted, or by a version that counted less), and the team's own quota. Transactions that add to one team are
// serialized from here to their end. Sets the usage outside the graph where $elsewhere is given.
// mode: write
// params: team_id, nodes, relationships, characters, elsewhere
// returns: nodes, relationships, characters, fresh_until, max_nodes, max_relationships, max_characters
MERGE (q:Quota {team_id: $team_id})
SET q.nodes = coalesce(q.nodes, 0) + $nodes,
  q.fresh_until = CASE WHEN q.relationships IS NULL THEN 0 ELSE q.fresh_until END
SET q.relationships = coalesce(q.relationships, 0) + $relationships,
  q.characters = coalesce(q.characters, 0) + $characters,
  q.elsewhere = coalesce($elsewhere, q.elsewhere, 0)
RETURN q.nodes AS nodes,
  q.relationships AS relationships,
  q.characters AS characters,
  coalesce(q.fresh_until, 0) AS fresh_until,
  q.max_nodes AS max_nodes,
  q.max_relationships AS max_relationships,
  q.max_characters AS max_characters
