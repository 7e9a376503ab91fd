// Stores a write that waits ($state) for a decision, unless $most writes of the user wait already: then it returns no row.
// mode: write
// params: team_id, user_id, key, state, properties, most
// returns: key
CALL () {
  MATCH (w:Review {team_id: $team_id, user_id: $user_id, state: $state})
  USING INDEX SEEK w:Review(team_id, user_id, state, key)
  WHERE w.key IS NOT NULL
  WITH w
  LIMIT $most
  RETURN count(w) AS waiting
}
WITH waiting
WHERE waiting < $most
CREATE (w:Review {team_id: $team_id, user_id: $user_id, key: $key, state: $state})
SET w += $properties
RETURN w.key AS key
