// Returns a turn that the caller may see and its ancestors up to the root: ids, bytes of their texts and references.
// Also returns the turn's state and user, and its tree's instructions and model.
// mode: read
// params: team_id, owners, id
// returns: branch, user_id, status, attempt, lease_until, system_prompt, context, model
MATCH (n:ChatTurn {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTurn(team_id, id)
WHERE n.user_id IN $owners
MATCH (s:ChatTree {team_id: $team_id, id: n.tree_id})
USING INDEX SEEK s:ChatTree(team_id, id)
CALL (n) {
  MATCH (n)-[:REPLIES_TO*0..10000]->(a:ChatTurn)
  RETURN collect([a.id, a.prompt_size + coalesce(a.answer_size, 0), a.refs]) AS branch
}
RETURN branch,
  n.user_id AS user_id,
  n.status AS status,
  n.attempt AS attempt,
  n.lease_until AS lease_until,
  s.system_prompt AS system_prompt,
  s.context AS context,
  n.model AS model
LIMIT 1
