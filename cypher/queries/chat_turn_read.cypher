// Returns some turns in full, ordered by id.
// mode: read
// params: team_id, owners, ids
// returns: turns
UNWIND $ids AS id
MATCH (n:ChatTurn {team_id: $team_id, id: id})
USING INDEX SEEK n:ChatTurn(team_id, id)
WHERE n.user_id IN $owners
RETURN collect([
  n.id, n.tree_id, n.parent_id, n.user_id, n.prompt, n.refs, n.answer, n.provider_id, n.model, n.status, n.attempt, n.error,
  n.source, n.prompt_version, n.created_at, n.updated_at, n.lease_until
]) AS turns
LIMIT 1
