// Adds words to a team's own relationship types, up to its maximum, and returns all that it has then. Transactions that
// add words to one team are serialized from here to their end: existing words are read under the lock.
// mode: write
// params: team_id, words, limit
// returns: words
MERGE (w:TypeWords {team_id: $team_id})
SET w.team_id = $team_id
WITH w, coalesce(w.words, []) AS before
WITH w, before, [word IN $words WHERE NOT word IN before] AS fresh
SET w.words = before + fresh[..$limit - size(before)]
RETURN w.words AS words
