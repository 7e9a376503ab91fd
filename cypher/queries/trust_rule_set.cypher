// Stores what was decided about all further writes of an origin and author for a user.
// mode: write
// params: team_id, user_id, origin, author, decision, now
// returns: decision
MERGE (r:TrustRule {team_id: $team_id, user_id: $user_id, origin: $origin, author: $author})
SET r.decision = $decision, r.created_at = $now
RETURN r.decision AS decision
