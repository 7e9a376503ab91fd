// Returns the least trust of a team's writes, if it has set one, and what was decided about all writes of an origin and author for a
// user (empty: the memory that the team shares).
// mode: read
// params: team_id, user_id, origin, author
// returns: min_trust, decision
OPTIONAL MATCH (s:TrustSetting {team_id: $team_id})
USING INDEX SEEK s:TrustSetting(team_id)
OPTIONAL MATCH (r:TrustRule {team_id: $team_id, user_id: $user_id, origin: $origin, author: $author})
USING INDEX SEEK r:TrustRule(team_id, user_id, origin, author)
RETURN s.min_trust AS min_trust,
  r.decision AS decision
LIMIT 1
