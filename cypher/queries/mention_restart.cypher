// Carries a source's new start to its mentions, which are counted by it.
// mode: write
// params: team_id, source_key, started_at
// returns: mentions
MATCH (s:Source {team_id: $team_id, entity_key: $source_key})-[m:mentions]->(:Memory)
SET m.started_at = $started_at
RETURN count(m) AS mentions
