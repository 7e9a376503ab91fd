// A turn that the caller may see and those above it, up to the root, by id, with the bytes of their texts and what they
// refer to; and the turn's state, whose it is, what its tree tells the model, and which
// model that is.
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
