// Some turns in full, and what they refer to as far as the caller may see it: a name, and the beginning of what is known.
// mode: read
// params: team_id, owners, user_id, ids, keys
// returns: turns, nodes
CALL () {
  UNWIND $ids AS id
  MATCH (n:ChatTurn {team_id: $team_id, id: id})
  USING INDEX SEEK n:ChatTurn(team_id, id)
  WHERE n.user_id IN $owners
  RETURN collect([
    n.id, n.tree_id, n.parent_id, n.user_id, n.prompt, n.refs, n.answer, n.provider_id, n.model, n.status, n.attempt, n.error,
    n.source, n.prompt_version, n.created_at, n.updated_at, n.lease_until
  ]) AS turns
}
CALL () {
  UNWIND $keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
  RETURN collect([labels(n), n.entity_key, n.name, left(coalesce(n.description, n.summary, n.text, ''), 200)]) AS nodes
}
RETURN turns,
  nodes
LIMIT 1
