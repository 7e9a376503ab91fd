// Returns storylines that include sources or are about nodes, and the macros that group them: each storyline with its
// subject and newest sources, of those not archived and with enough trust, each macro with its root and all its storylines and their subjects.
// mode: read
// plan: kept
// params: team_id, user_id, source_keys, node_keys, story_keys, previews, archived, least_trust, story_limit
// returns: storylines, macros
CALL () {
  UNWIND $source_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  MATCH (n)<-[:includes {team_id: $team_id}]-(t:Storyline)
  RETURN t
  UNION
  UNWIND $node_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  MATCH (n)<-[:about {team_id: $team_id}]-(t:Storyline)
  RETURN t
  UNION
  UNWIND $story_keys AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  MATCH (n)-[:groups*0..1 {team_id: $team_id}]->(t:Storyline)
  RETURN t
}
WITH t
WHERE (t.user_id IS NULL OR t.user_id = $user_id)
  AND ($archived OR coalesce(t.state, '') <> 'archived')
WITH DISTINCT t
LIMIT $story_limit
CALL (t) {
  MATCH (t)-[:about {team_id: $team_id}]->(n:Memory)
  RETURN collect([n.entity_key, labels(n), n.name, n.trust, n.origin]) AS anchors
}
CALL (t) {
  MATCH (t)-[:includes {team_id: $team_id}]->(s:Source)
  WITH s
  ORDER BY s.started_at DESC, s.entity_key
  LIMIT 50
  WITH s, CASE WHEN s.content_type <> 'conversation' AND s.least_trust < coalesce(s.trust, 1.0) THEN s.least_trust ELSE s.trust END AS trust
  RETURN collect(s.entity_key) AS keys, collect(CASE WHEN ($archived OR coalesce(s.state, '') <> 'archived') AND coalesce(trust, 1.0) >= $least_trust
    THEN [s.entity_key, s.summary, s.started_at.epochMillis, trust, s.origin] END) AS sources
}
CALL (t) {
  MATCH (t)<-[:groups {team_id: $team_id}]-(m:Macro)
  RETURN collect(m) AS parents
}
WITH collect([t.entity_key, t.name, t.description, t.source_count, t.first_source_at.epochMillis, t.last_source_at.epochMillis,
    anchors, sources[0..$previews], keys, [m IN parents | m.entity_key]]) AS storylines,
  collect(parents) AS grouped
UNWIND CASE WHEN grouped = [] THEN [[]] ELSE grouped END AS parents
UNWIND CASE WHEN parents = [] THEN [null] ELSE parents END AS m
WITH DISTINCT storylines, m
CALL (m) {
  MATCH (m)-[:rooted_in {team_id: $team_id}]->(n:Memory)
  RETURN collect([n.entity_key, labels(n), n.name, n.trust, n.origin]) AS anchors
}
CALL (m) {
  MATCH (m)-[:groups {team_id: $team_id}]->(t:Storyline)
  WITH t
  ORDER BY t.last_source_at DESC
  LIMIT 100
  CALL (t) {
    MATCH (t)-[:about {team_id: $team_id}]->(n:Memory)
    RETURN collect([n.entity_key, labels(n), n.name, n.trust, n.origin]) AS subjects
  }
  RETURN collect([t.entity_key, t.name, t.description, t.source_count, subjects]) AS parts
}
RETURN storylines,
  collect(CASE WHEN m IS NOT NULL THEN [m.entity_key, m.name, m.description, m.storyline_count, m.source_count,
    m.first_source_at.epochMillis, m.last_source_at.epochMillis, anchors, parts] END) AS macros
LIMIT 1
