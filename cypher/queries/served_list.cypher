// Returns when contexts of a user were served, in a period that begins after $after, the oldest first.
// mode: read
// params: team_id, user_id, after, until, limit
// returns: at, kind, digest
MATCH (e:ServedEvent {team_id: $team_id, user_id: $user_id})
USING INDEX SEEK e:ServedEvent(team_id, user_id, at)
WHERE e.at > $after
  AND e.at < $until
WITH e
ORDER BY e.team_id, e.user_id, e.at
LIMIT $limit
RETURN e.at AS at,
  e.kind AS kind,
  e.digest AS digest
