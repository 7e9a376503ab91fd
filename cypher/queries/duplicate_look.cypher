// Stores how far a team was looked through for duplicates, and how often looking further failed, unless it was erased meanwhile.
// mode: write
// params: team_id, next_seq, next_item, first, tries
// returns: looked
MATCH (f:Feed {team_id: $team_id})
USING INDEX SEEK f:Feed(team_id)
MERGE (l:DuplicateLook {team_id: $team_id})
SET l.next_seq = $next_seq, l.next_item = $next_item, l.first = $first, l.tries = $tries
RETURN count(l) AS looked
