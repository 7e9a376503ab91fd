// Stores what a model thinks of a pair, or from when it may be asked again ($judge_from), unless the pair was compared anew meanwhile.
// mode: write
// params: team_id, pair, compared, verdict, probability, reasons, weights, judge_from
// returns: stored
MATCH (d:Duplicate {team_id: $team_id, pair: $pair})
USING INDEX SEEK d:Duplicate(team_id, pair)
SET d.team_id = $team_id
WITH d
WHERE d.compared = $compared
SET d.judge_from = $judge_from, d.verdict = $verdict, d.probability = $probability, d.reasons = $reasons, d.weights = $weights
RETURN count(d) AS stored
