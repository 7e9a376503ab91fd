// Counts what some users of a team have, and when that last changed or was recalled. Reads at most $most nodes of each
// kind and chats of each user.
// mode: read
// params: team_id, users, most
// returns: user_id, nodes, conversations, messages, chats, changed_at, recalled_at, chatted_at_ms, partial
UNWIND $users AS user
CALL (user) {
  UNWIND user.lists AS list
  CALL (list) {
    MATCH (n:Memory {team_id: $team_id})
    USING INDEX SEEK n:Memory(team_id, natural_key)
    WHERE n.natural_key > list.after
      AND n.natural_key < list.end
    WITH n
    LIMIT $most
    RETURN count(n) AS found,
      sum(CASE WHEN n:Source AND n.content_type = 'conversation' THEN 1 ELSE 0 END) AS talks,
      sum(CASE WHEN n:Source THEN coalesce(n.message_count, 0) ELSE 0 END) AS messages,
      max(n.updated_at) AS changed_at,
      max(n.last_accessed_at) AS recalled_at
  }
  RETURN sum(found) AS nodes, sum(talks) AS conversations, sum(messages) AS messages, max(changed_at) AS changed_at,
    max(recalled_at) AS recalled_at, max(found) AS longest
}
CALL (user) {
  MATCH (t:ChatTree {team_id: $team_id, user_id: user.id})
  USING INDEX SEEK t:ChatTree(team_id, user_id, pinned, updated_at, id)
  WHERE t.pinned IS NOT NULL
    AND t.updated_at IS NOT NULL
    AND t.id IS NOT NULL
  WITH t
  LIMIT $most
  RETURN count(t) AS chats, max(t.updated_at) AS chatted_at_ms
}
RETURN user.id AS user_id,
  nodes,
  conversations,
  messages,
  chats,
  changed_at,
  recalled_at,
  chatted_at_ms,
  longest >= $most OR chats >= $most AS partial
LIMIT 1000
