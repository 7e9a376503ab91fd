// Returns what was decided about all further writes of some origins and authors for a user, or for all of a team ($user_id is null).
// mode: read
// params: team_id, user_id
// returns: user_id, origin, author, decision, created_at
MATCH (r:TrustRule {team_id: $team_id})
USING INDEX SEEK r:TrustRule(team_id)
WHERE $user_id IS NULL
  OR r.user_id = $user_id
WITH r
ORDER BY r.user_id, r.origin, r.author
LIMIT 1000
RETURN r.user_id AS user_id,
  r.origin AS origin,
  r.author AS author,
  r.decision AS decision,
  r.created_at AS created_at
