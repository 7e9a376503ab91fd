// Adds words to those that a team has as relationship types of its own, as many as it may have, and tells all that it has then.
// Transactions that add words to one team follow each other from here to their end: what there is is read under the lock.
// mode: write
// params: team_id, words, limit
// returns: words
MERGE (w:TypeWords {team_id: $team_id})
SET w.team_id = $team_id
WITH w, coalesce(w.words, []) AS before
WITH w, before, [word IN $words WHERE NOT word IN before] AS fresh
SET w.words = before + fresh[..$limit - size(before)]
RETURN w.words AS words
