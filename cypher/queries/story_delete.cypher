// Updates stories before nodes are deleted. A source or a storyline is no longer counted. An anchor is deleted with the
// stories about it, which contain its name.
// mode: write
// params: team_id, entity_keys, now
// returns: stories
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (n) {
  MATCH (n)<-[:includes {team_id: $team_id}]-(t:Storyline)
  SET t.source_count = t.source_count - 1
  WITH t
  MATCH (t)<-[:groups {team_id: $team_id}]-(o:Macro)
  SET o.source_count = o.source_count - 1
  RETURN count(t) AS counted
}
CALL (n) {
  MATCH (n)<-[:about {team_id: $team_id}]-(t:Storyline {anchor_key: n.entity_key})
  RETURN collect(t) AS about
}
CALL (n, about) {
  UNWIND about + CASE WHEN n:Storyline THEN [n] ELSE [] END AS t
  MATCH (o:Macro)-[:groups {team_id: $team_id}]->(t)
  SET o.source_count = o.source_count - t.source_count, o.storyline_count = o.storyline_count - 1
  RETURN count(o) AS regrouped
}
CALL (n, about) {
  OPTIONAL MATCH (n)<-[:rooted_in {team_id: $team_id}]-(o:Macro {anchor_key: n.entity_key})
  WITH about, collect(o) AS rooted
  UNWIND about + rooted AS t
  SET t.deleted_kind = CASE WHEN t:Macro THEN 'macro' ELSE 'storyline' END, t.deleted_at = $now, t.deleted_with = n.entity_key
  REMOVE t:Memory:Storyline:Macro
  SET t:Deleted
  RETURN count(t) AS stories
}
RETURN sum(stories) AS stories
