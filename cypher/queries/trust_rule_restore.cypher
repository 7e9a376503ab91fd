// Stores what was decided about all further writes of some origins and authors, for an import. It changes no stored decision.
// mode: write
// params: team_id, rows
// returns: created
UNWIND $rows AS row
OPTIONAL MATCH (o:TrustRule {team_id: $team_id, user_id: row.user_id, origin: row.origin, author: row.author})
USING INDEX SEEK o:TrustRule(team_id, user_id, origin, author)
MERGE (r:TrustRule {team_id: $team_id, user_id: row.user_id, origin: row.origin, author: row.author})
ON CREATE SET r.decision = row.decision, r.created_at = row.created_at
RETURN sum(CASE WHEN o IS NULL THEN 1 ELSE 0 END) AS created
