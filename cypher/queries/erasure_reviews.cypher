// Returns a page of the reviews of the team or of other users that may name a user, by key: those of the team, and those with a node
// for the user ($user_field).
// mode: read
// params: team_id, user_id, user_field, after, limit
// returns: key, user_id, sources, body
MATCH (w:Review {team_id: $team_id})
USING INDEX SEEK w:Review(team_id, key)
WHERE w.key > $after
  AND w.user_id <> $user_id
  AND (w.user_id = '' OR w.body CONTAINS $user_field)
WITH w
ORDER BY w.team_id, w.key
LIMIT $limit
RETURN w.key AS key,
  w.user_id AS user_id,
  w.sources AS sources,
  w.body AS body
