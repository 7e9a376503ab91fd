// Returns a page of what was decided in a team about all further writes of some origins and authors. $after has the user, origin and
// author of the last one before it; null for the first page, with an empty $after_user.
// mode: read
// params: team_id, after_user, after, limit
// returns: user_id, origin, author, decision, created_at
MATCH (r:TrustRule {team_id: $team_id})
USING INDEX SEEK r:TrustRule(team_id, user_id, origin, author)
WHERE r.user_id >= $after_user
  AND r.origin IS NOT NULL
  AND r.author IS NOT NULL
  AND ($after IS NULL OR [r.user_id, r.origin, r.author] > $after)
WITH r
ORDER BY r.user_id, r.origin, r.author
LIMIT $limit
RETURN r.user_id AS user_id,
  r.origin AS origin,
  r.author AS author,
  r.decision AS decision,
  r.created_at AS created_at
