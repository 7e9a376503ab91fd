// Removes the next records, digests and bodies of what a team was served until $cutoff. A body that is served at the same moment stays.
// mode: write
// params: team_id, cutoff, limit
// returns: removed
CALL () {
  MATCH (s:ContextServed {team_id: $team_id})
  USING INDEX SEEK s:ContextServed(team_id)
  WHERE s.at <= $cutoff
  WITH s
  LIMIT $limit
  DELETE s
  RETURN count(*) AS gone
  UNION ALL
  MATCH (e:ServedEvent {team_id: $team_id})
  USING INDEX SEEK e:ServedEvent(team_id)
  WHERE e.at <= $cutoff
  WITH e
  LIMIT $limit
  DELETE e
  RETURN count(*) AS gone
  UNION ALL
  MATCH (b:ContextBody {team_id: $team_id})
  USING INDEX SEEK b:ContextBody(team_id)
  WHERE b.last <= $cutoff
  WITH b
  LIMIT $limit
  REMOVE b:Former
  WITH b
  WHERE b.last <= $cutoff
  DELETE b
  RETURN count(*) AS gone
}
RETURN sum(gone) AS removed
