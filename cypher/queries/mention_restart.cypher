// Carries a source's new start to its mentions, which are counted by it.
// mode: write
// params: team_id, source_key, started_at
// returns: mentions
MATCH (s:Memory {team_id: $team_id, entity_key: $source_key})-[m:mentions]->(:Memory)
USING INDEX SEEK s:Memory(team_id, entity_key)
SET m.started_at = $started_at
RETURN count(m) AS mentions
