// Returns the records with some keys of which an import has former versions, stored and deleted ones: nodes by their kinds, statements,
// and deleted relationships. into: the node into which a deleted one was merged.
// mode: read
// params: team_id, keys
// returns: key, kind, user, into, participants
UNWIND $keys AS key
CALL (key) {
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  RETURN [label IN labels(n) WHERE label <> 'Memory'][0] AS label, null AS kind, n.user_id AS user, null AS into, n.participants AS participants
  UNION ALL
  MATCH (d:Deleted {team_id: $team_id, entity_key: key})
  USING INDEX SEEK d:Deleted(team_id, entity_key)
  RETURN null AS label, d.deleted_kind AS kind, d.user_id AS user, d.merged_into AS into, d.participants AS participants
  UNION ALL
  MATCH (x:Statement {team_id: $team_id, key: key})
  USING INDEX SEEK x:Statement(team_id, key)
  RETURN null AS label, 'statement' AS kind, x.user_id AS user, null AS into, null AS participants
  UNION ALL
  MATCH (r:DeletedRelationship {team_id: $team_id, key: key})
  USING INDEX SEEK r:DeletedRelationship(team_id, key)
  RETURN null AS label, 'relationship' AS kind, r.user_id AS user, null AS into, null AS participants
}
WITH DISTINCT key, coalesce(label, kind, '') AS kind, coalesce(user, '') AS user, coalesce(into, '') AS into, coalesce(participants, []) AS participants
RETURN key, kind, user, into, participants
LIMIT 100000
