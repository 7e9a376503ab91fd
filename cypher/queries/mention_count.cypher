// Counts new mentions at what is mentioned: how often, how heavily, since when, and on which days. What a team shares is not
// changed by a private source: only who sees all that is counted sees a count. The source is to be looked at for storylines.
// mode: write
// params: team_id, rows
// returns: counted
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
FOREACH (n IN CASE WHEN row.counted THEN [n] ELSE [] END | SET n.source_count = coalesce(n.source_count, 0) + 1,
  n.mention_weight = coalesce(n.mention_weight, 0.0) + row.weight,
  n.first_mentioned_at = CASE WHEN n.first_mentioned_at <= row.at THEN n.first_mentioned_at ELSE row.at END,
  n.last_mentioned_at = CASE WHEN n.last_mentioned_at >= row.at THEN n.last_mentioned_at ELSE row.at END,
  n.distinct_source_days = CASE WHEN row.day IN n.distinct_source_days THEN n.distinct_source_days ELSE coalesce(n.distinct_source_days, []) + row.day END)
WITH n, row
MATCH (s:Memory {team_id: $team_id, entity_key: row.source_key})
SET s.story_due = row.due
RETURN count(n) AS counted
