// Keeps what a request was answered.
// mode: write
// params: team_id, key, answer, user_id
// returns: kept
MATCH (k:IdempotencyKey {team_id: $team_id, key: $key})
SET k.answer = $answer, k.user_id = $user_id
RETURN count(k) AS kept
