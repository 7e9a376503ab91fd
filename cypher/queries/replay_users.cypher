// Returns which of some users have something in a team: a node of a kind (between two natural keys), a preference or a chat.
// mode: read
// params: team_id, users
// returns: user_id
UNWIND $users AS user
CALL (user) {
  UNWIND user.lists AS list
  CALL (list) {
    MATCH (n:Memory {team_id: $team_id})
    USING INDEX SEEK n:Memory(team_id, natural_key)
    WHERE n.natural_key > list.after
      AND n.natural_key < list.end
    WITH n
    LIMIT 1
    RETURN count(n) AS found
  }
  RETURN sum(found) AS nodes
}
CALL (user) {
  MATCH (p:Preference {team_id: $team_id, user_id: user.id})
  USING INDEX SEEK p:Preference(team_id, user_id, key)
  WHERE p.key IS NOT NULL
  WITH p
  LIMIT 1
  RETURN count(p) AS preferences
}
CALL (user) {
  MATCH (t:ChatTree {team_id: $team_id, user_id: user.id})
  USING INDEX SEEK t:ChatTree(team_id, user_id, pinned, updated_at, id)
  WHERE t.pinned IS NOT NULL
    AND t.updated_at IS NOT NULL
    AND t.id IS NOT NULL
  WITH t
  LIMIT 1
  RETURN count(t) AS chats
}
WITH user, nodes + preferences + chats AS things
WHERE things > 0
RETURN user.id AS user_id
LIMIT 1000
