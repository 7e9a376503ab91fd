// Returns a page of a team's nodes by key: which are private to a user (of everybody when $user_id is null), and which
// others carry the user's authorship, on themselves or on relationships from them.
// mode: read
// params: team_id, user_id, author, spaced_author, after, limit
// returns: seen, last, own, authored
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key > $after
WITH n
ORDER BY n.team_id, n.entity_key
LIMIT $limit
WITH n.entity_key AS key,
  $user_id IS NULL OR coalesce(n.user_id = $user_id, false) AS mine,
  coalesce(any(name IN keys(n) WHERE name ENDS WITH '_by' AND n[name] = $user_id), false)
    OR coalesce($user_id IN n.participants, false)
    OR coalesce(any(note IN n.notes WHERE note CONTAINS $author OR note CONTAINS $spaced_author), false)
    OR EXISTS {
      (n)-[r]->()
      WHERE r.user_id = $user_id
        OR any(name IN keys(r) WHERE name ENDS WITH '_by' AND r[name] = $user_id)
        OR any(note IN r.notes WHERE note CONTAINS $author OR note CONTAINS $spaced_author)
    } AS authored
RETURN count(*) AS seen,
  max(key) AS last,
  collect(CASE WHEN mine THEN key END) AS own,
  collect(CASE WHEN authored AND NOT mine THEN key END) AS authored
LIMIT 1
