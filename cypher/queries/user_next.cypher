// Returns the first user from $from_user on for each sort of data that users have in a team: nodes of each kind (between
// two natural keys), preferences, chats. The caller takes the first of them.
// mode: read
// params: team_id, from_user, lists
// returns: users
CALL () {
  UNWIND $lists AS list
  CALL (list) {
    MATCH (n:Memory {team_id: $team_id})
    USING INDEX SEEK n:Memory(team_id, natural_key)
    WHERE n.natural_key > list.after
      AND n.natural_key < list.end
    WITH n
    ORDER BY n.team_id, n.natural_key
    LIMIT 1
    RETURN n.user_id AS user
  }
  RETURN collect(user) AS with_nodes
}
CALL () {
  MATCH (p:Preference {team_id: $team_id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.user_id >= $from_user
    AND p.key IS NOT NULL
  WITH p
  ORDER BY p.team_id, p.user_id, p.key
  LIMIT 1
  RETURN collect(p.user_id) AS with_preferences
}
CALL () {
  MATCH (t:ChatTree {team_id: $team_id})
  USING INDEX SEEK t:ChatTree(team_id, user_id, pinned, updated_at, id)
  WHERE t.user_id >= $from_user
    AND t.pinned IS NOT NULL
    AND t.updated_at IS NOT NULL
    AND t.id IS NOT NULL
  WITH t
  ORDER BY t.team_id, t.user_id, t.pinned, t.updated_at, t.id
  LIMIT 1
  RETURN collect(t.user_id) AS with_chats
}
RETURN with_nodes + with_preferences + with_chats AS users
LIMIT 1
