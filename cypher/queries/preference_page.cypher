// The preferences of a team's users by user and key, from those after the given ones on: the rest of that user, then
// those of later users. Both are walks of the index, which has the order of code points; sorting and comparing elsewhere
// have that of UTF-16.
// mode: read
// params: team_id, after_user, after_key, limit
// returns: same_user, later_users
CALL () {
  MATCH (p:Preference {team_id: $team_id, user_id: $after_user})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key > $after_key
  WITH p
  ORDER BY p.team_id, p.user_id, p.key
  LIMIT $limit
  RETURN collect([p.user_id, p.key, p.value]) AS same_user
}
CALL () {
  MATCH (p:Preference {team_id: $team_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.user_id > $after_user AND p.key IS NOT NULL
  WITH p
  ORDER BY p.team_id, p.user_id, p.key
  LIMIT $limit
  RETURN collect([p.user_id, p.key, p.value]) AS later_users
}
RETURN same_user, later_users
