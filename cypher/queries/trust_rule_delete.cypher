// Deletes what was decided about all further writes of an origin and author for a user.
// mode: write
// params: team_id, user_id, origin, author
// returns: deleted
MATCH (r:TrustRule {team_id: $team_id, user_id: $user_id, origin: $origin, author: $author})
USING INDEX SEEK r:TrustRule(team_id, user_id, origin, author)
DELETE r
RETURN count(*) AS deleted
