// Creates a turn in a locked chat tree, as a reply to another turn or as a root.
// mode: write
// params: team_id, tree_id, id, parent_id, properties, now
// returns: id
MATCH (n:ChatTree {team_id: $team_id, id: $tree_id})
USING INDEX SEEK n:ChatTree(team_id, id)
CREATE (o:ChatTurn {team_id: $team_id, id: $id})
SET o += $properties,
  o.tree_id = n.id,
  o.parent_id = $parent_id,
  o.seq = n.next_seq,
  n.next_seq = n.next_seq + 1,
  n.turn_count = n.turn_count + 1,
  n.updated_at = $now
WITH o
CALL (o) {
  MATCH (p:ChatTurn {team_id: $team_id, id: $parent_id})
  USING INDEX SEEK p:ChatTurn(team_id, id)
  CREATE (o)-[:REPLIES_TO {team_id: $team_id}]->(p)
}
RETURN o.id AS id
