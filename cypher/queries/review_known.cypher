// Returns which of some reviews are stored, with their users, and how many writes of some users wait, at most $most of each.
// mode: read
// params: team_id, keys, users, most
// returns: reviews, counts
CALL () {
  UNWIND $keys AS key
  MATCH (w:Review {team_id: $team_id, key: key})
  USING INDEX SEEK w:Review(team_id, key)
  RETURN collect([w.key, w.user_id]) AS reviews
}
CALL () {
  UNWIND $users AS user
  CALL (user) {
    MATCH (w:Review {team_id: $team_id, user_id: user, state: 'waiting'})
    USING INDEX SEEK w:Review(team_id, user_id, state, key)
    WHERE w.key IS NOT NULL
    WITH w
    LIMIT $most
    RETURN count(w) AS waiting
  }
  RETURN collect([user, waiting]) AS counts
}
RETURN reviews, counts
LIMIT 1
