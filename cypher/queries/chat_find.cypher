// Finds chat trees and turns by their ids, as in an export, and counts the turns of each tree. Locks the trees until
// the transaction ends.
// mode: write
// params: team_id, tree_ids, turn_ids
// returns: trees, turns
CALL () {
  UNWIND $tree_ids AS id
  MATCH (n:ChatTree {team_id: $team_id, id: id})
  USING INDEX SEEK n:ChatTree(team_id, id)
  SET n:ChatTree
  WITH n
  RETURN collect([
    [n.id, n.user_id, n.name, n.pinned, n.system_prompt, n.context, n.created_at, n.updated_at, n.created_by], n.turn_count, n.next_seq
  ]) AS trees
}
CALL () {
  UNWIND $turn_ids AS id
  MATCH (n:ChatTurn {team_id: $team_id, id: id})
  USING INDEX SEEK n:ChatTurn(team_id, id)
  RETURN collect([
    n.id, n.tree_id, n.parent_id, n.seq, n.prompt, n.answer, n.provider_id, n.model, n.status, n.attempt, n.error, n.source,
    n.prompt_version, n.created_at, n.updated_at, n.created_by, n.lease_until
  ]) AS turns
}
RETURN trees,
  turns
