// Returns a turn that the caller may see and all its descendants, each with the beginning of its prompt.
// mode: read
// params: team_id, owners, id
// returns: turns
MATCH (n:ChatTurn {team_id: $team_id, id: $id})
USING INDEX SEEK n:ChatTurn(team_id, id)
WHERE n.user_id IN $owners
CALL (n) {
  MATCH (n)<-[:REPLIES_TO*0..10000]-(b:ChatTurn)
  RETURN collect([b.id, b.parent_id, left(b.prompt, 30), b.status, b.attempt, b.created_at, b.lease_until, b.seq]) AS turns
}
RETURN turns
LIMIT 1
