// Creates a chat tree; one with the same id keeps its properties. Returns whose the tree is, and whether it existed.
// mode: write
// params: team_id, id, properties
// returns: user_id, known
OPTIONAL MATCH (o:ChatTree {team_id: $team_id, id: $id})
USING INDEX SEEK o:ChatTree(team_id, id)
WITH count(o) > 0 AS known
MERGE (n:ChatTree {team_id: $team_id, id: $id})
ON CREATE SET n += $properties, n.turn_count = 0, n.next_seq = 0
RETURN n.user_id AS user_id,
  known
