// Counts the nodes outside the memory that are private to a user (of everybody when $user_id is null), or carry the
// user's authorship. Written for one label; the store runs it for each (cypher.ForLabel).
// mode: read
// params: team_id, user_id, author, spaced_author
// returns: remaining
MATCH (n:Deleted {team_id: $team_id})
WHERE $user_id IS NULL
  OR n.user_id = $user_id
  OR any(name IN keys(n) WHERE name ENDS WITH '_by' AND n[name] = $user_id)
  OR $user_id IN n.participants
  OR any(note IN n.notes WHERE note CONTAINS $author OR note CONTAINS $spaced_author)
  OR EXISTS {
    (n)-[r]->()
    WHERE r.user_id = $user_id
      OR any(name IN keys(r) WHERE name ENDS WITH '_by' AND r[name] = $user_id)
      OR any(note IN r.notes WHERE note CONTAINS $author OR note CONTAINS $spaced_author)
  }
RETURN count(n) AS remaining
LIMIT 1
