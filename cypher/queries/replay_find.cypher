// Returns what was served of a view at $at, by the instance with a number or by any (null): of what began since $since and was served
// until $until or later, the last before $at; sum is null if there is none. encoded is null if its body is gone. digest is that of the answer
// at $at, if it was noted.
// mode: read
// params: team_id, user_id, view, at, since, until, instance
// returns: sum, encoded, digest
OPTIONAL MATCH (s:ContextServed {team_id: $team_id, user_id: $user_id, view: $view})
USING INDEX SEEK s:ContextServed(team_id, user_id, view, at)
WHERE s.at >= $since
  AND s.at <= $at
  AND s.until >= $until
  AND ($instance IS NULL OR s.at % 1000 = $instance)
WITH s
ORDER BY CASE WHEN s.until < $at THEN s.until ELSE $at END DESC, s.at DESC
LIMIT 1
OPTIONAL MATCH (b:ContextBody {team_id: $team_id, user_id: $user_id, sum: s.sum})
OPTIONAL MATCH (e:ServedEvent {team_id: $team_id, user_id: $user_id, at: $at})
RETURN s.sum AS sum,
  b.encoded AS encoded,
  e.digest AS digest
LIMIT 1
