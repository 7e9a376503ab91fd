// Sets the new start of sources on their mentions, which are counted by it; also on mentions of deleted nodes, which
// may be restored. The source becomes due for storylines.
// mode: write
// params: team_id, rows
// returns: mentions
UNWIND $rows AS row
MATCH (s:Memory {team_id: $team_id, entity_key: row.source_key})-[m:mentions]->()
USING INDEX SEEK s:Memory(team_id, entity_key)
SET m.started_at = row.started_at, s.story_due = row.due
RETURN count(m) AS mentions
