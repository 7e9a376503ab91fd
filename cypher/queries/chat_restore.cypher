// Stores chat trees and turns as given, and renumbers the trees.
// mode: write
// params: team_id, trees, turns, tree_ids
// returns: stored
CALL () {
  UNWIND $trees AS row
  MERGE (n:ChatTree {team_id: $team_id, id: row.id})
  ON CREATE SET n.turn_count = 0, n.next_seq = 0
  SET n += row.properties
  RETURN count(*) AS trees
}
CALL () {
  UNWIND $turns AS row
  MERGE (n:ChatTurn {team_id: $team_id, id: row.id})
  SET n += row.properties
  RETURN count(*) AS turns
}
CALL () {
  UNWIND $turns AS row
  MATCH (n:ChatTurn {team_id: $team_id, id: row.id})
  USING INDEX SEEK n:ChatTurn(team_id, id)
  MATCH (o:ChatTurn {team_id: $team_id, id: row.properties.parent_id})
  USING INDEX SEEK o:ChatTurn(team_id, id)
  MERGE (n)-[r:REPLIES_TO {team_id: $team_id}]->(o)
  RETURN count(*) AS links
}
CALL () {
  UNWIND $tree_ids AS id
  MATCH (n:ChatTree {team_id: $team_id, id: id})
  USING INDEX SEEK n:ChatTree(team_id, id)
  CALL (n) {
    MATCH (o:ChatTurn {team_id: $team_id, tree_id: n.id})
    USING INDEX SEEK o:ChatTurn(team_id, tree_id, seq)
    WHERE o.seq >= 0
    RETURN count(o) AS turns, coalesce(max(o.seq) + 1, 0) AS next
  }
  SET n.turn_count = turns,
    n.next_seq = CASE WHEN n.next_seq > next THEN n.next_seq ELSE next END
  RETURN count(*) AS numbered
}
RETURN trees + turns AS stored
