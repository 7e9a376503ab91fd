// Stores the answer to a request.
// mode: write
// params: team_id, key, answer
// returns: kept
MATCH (k:IdempotencyKey {team_id: $team_id, key: $key})
SET k.answer = $answer
RETURN count(k) AS kept
