// Returns the users of the team's relationships with some keys. Written for one type, as relationship_keys is.
// mode: read
// params: team_id, keys
// returns: key, kind, user, into, participants
MATCH ()-[some:relates_to {team_id: $team_id}]->()
USING INDEX SEEK some:relates_to(team_id, key)
WHERE some.key >= ''
WITH some
LIMIT 1
UNWIND $keys AS key
MATCH (a)-[r:relates_to {team_id: $team_id, key: key}]->(b)
USING INDEX SEEK r:relates_to(team_id, key)
RETURN key, 'relationship' AS kind, coalesce(a.user_id, b.user_id, '') AS user, '' AS into, [] AS participants
LIMIT 100000
