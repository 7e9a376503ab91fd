// Counts new mentions on the mentioned nodes: number, weight, first time and days. A private source does not change
// shared nodes: only a user who sees all counted mentions may see a count. The row has the vitality after the mention.
// Where the node's place in its user's context changes (moved), the ranked relationships are updated, as in
// relationship_rank.cypher. The source becomes due for storylines.
// mode: write
// params: team_id, rows, now
// returns: counted
UNWIND $rows AS row
MATCH (n:Memory {team_id: $team_id, entity_key: row.entity_key})
USING INDEX SEEK n:Memory(team_id, entity_key)
FOREACH (n IN CASE WHEN row.counted THEN [n] ELSE [] END | SET n.source_count = coalesce(n.source_count, 0) + 1,
  n.mention_weight = coalesce(n.mention_weight, 0.0) + row.weight,
  n.first_mentioned_at = CASE WHEN n.first_mentioned_at <= row.at THEN n.first_mentioned_at ELSE row.at END,
  n.last_mentioned_at = CASE WHEN n.last_mentioned_at >= row.at THEN n.last_mentioned_at ELSE row.at END,
  n.distinct_source_days = CASE WHEN row.day IN n.distinct_source_days THEN n.distinct_source_days ELSE
    [day IN coalesce(n.distinct_source_days, []) WHERE day < row.day] + row.day + [day IN coalesce(n.distinct_source_days, []) WHERE day > row.day] END,
  n += row.properties)
WITH n, row
CALL (n, row) {
  MATCH (o:Person {team_id: $team_id, owner_of: row.user})
  USING INDEX SEEK o:Person(team_id, owner_of)
  WHERE row.moved AND o <> n
  MATCH (o)-[r:has_relationship_with|thinks_about|relates_to|involves|associated_with|engages_with|connected_to]-(n)
  WITH n, o, r, coalesce(r.valid_to > $now, true) AND n.state IN ['active', 'core'] AND (n:Person OR n:Concept OR n:Entity) AS shown,
    CASE WHEN r.valid_to.epochMillis < coalesce(n.ends_at, 9007199254740991) THEN r.valid_to.epochMillis ELSE coalesce(n.ends_at, 9007199254740991) END AS until
  SET r.owner_key = CASE WHEN shown THEN o.entity_key END,
    r.decay_rate = coalesce(r.decay_rate, 0.0),
    r.salience_at = coalesce(r.salience_at, 0),
    r.node_key = CASE WHEN shown THEN n.entity_key END,
    r.node_salience = CASE WHEN shown THEN n.salience END,
    r.node_decay_rate = CASE WHEN shown THEN coalesce(n.decay_rate, 0.0) END,
    r.node_salience_at = CASE WHEN shown THEN coalesce(n.salience_at, 0) END,
    r.rank_until = CASE WHEN shown AND r.valid_from > $now AND r.start_unknown IS NULL THEN until END,
    r.node_until = CASE WHEN NOT shown THEN null WHEN r.valid_from > $now AND r.start_unknown IS NULL THEN -r.valid_from.epochMillis ELSE until END,
    n.ranked = CASE WHEN shown THEN true ELSE n.ranked END
  RETURN count(r) AS ranked
}
MATCH (s:Memory {team_id: $team_id, entity_key: row.source_key})
USING INDEX SEEK s:Memory(team_id, entity_key)
SET s.story_due = row.due
RETURN count(n) AS counted
