// Returns a page of the preferences of a team's users by user and key, after the given ones: the rest of that user,
// then later users. Both walk the index, which orders by code points; other sorting and comparing orders by UTF-16.
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
