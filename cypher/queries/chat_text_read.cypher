// Returns the texts of some turns and their references that the caller may see: name and beginning of the description.
// mode: read
// params: team_id, owners, user_id, ids, keys
// returns: texts, nodes
CALL () {
  UNWIND $ids AS id
  MATCH (n:ChatTurn {team_id: $team_id, id: id})
  USING INDEX SEEK n:ChatTurn(team_id, id)
  WHERE n.user_id IN $owners
  RETURN collect([n.id, n.prompt, n.answer]) AS texts
}
CALL () {
  UNWIND $keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.user_id IS NULL OR n.user_id = $user_id OR $user_id IN n.participants
  RETURN collect([labels(n), n.entity_key, n.name, left(coalesce(n.description, n.summary, n.text, ''), 200), n.trust, n.origin]) AS nodes
}
RETURN texts,
  nodes
LIMIT 1
