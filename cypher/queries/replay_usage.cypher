// Returns how many characters a team keeps of what it was served, and the moment until which the oldest tenth of that was served, null
// without any. It reads all of that.
// mode: read
// params: team_id
// returns: characters, oldest
CALL () {
  MATCH (s:ContextServed {team_id: $team_id})
  USING INDEX SEEK s:ContextServed(team_id)
  RETURN s.at AS at, size(s.user_id) + size(s.view) + size(s.sum) AS size
  UNION ALL
  MATCH (b:ContextBody {team_id: $team_id})
  USING INDEX SEEK b:ContextBody(team_id)
  RETURN b.last AS at, size(b.user_id) + size(b.sum) + b.size AS size
  UNION ALL
  MATCH (e:ServedEvent {team_id: $team_id})
  USING INDEX SEEK e:ServedEvent(team_id)
  RETURN e.at AS at, size(e.user_id) + size(e.kind) + size(e.digest) AS size
}
RETURN sum(size) AS characters,
  percentileDisc(at, 0.1) AS oldest
LIMIT 1
