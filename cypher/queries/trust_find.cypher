// Returns the least trust of a team's writes, if it has set one, and what was decided about all writes of some origins and authors for a
// user (empty: the memory that the team shares).
// mode: read
// params: team_id, user_id, tellers
// returns: min_trust, origin, author, decision
OPTIONAL MATCH (s:TrustSetting {team_id: $team_id})
USING INDEX SEEK s:TrustSetting(team_id)
UNWIND $tellers AS teller
OPTIONAL MATCH (r:TrustRule {team_id: $team_id, user_id: $user_id, origin: teller[0], author: teller[1]})
USING INDEX SEEK r:TrustRule(team_id, user_id, origin, author)
RETURN s.min_trust AS min_trust,
  teller[0] AS origin,
  teller[1] AS author,
  r.decision AS decision
LIMIT 100
