// Updates stories after nodes were restored; the reverse of story_delete.
// mode: write
// params: team_id, entity_keys
// returns: stories
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (n) {
  MATCH (n)<-[:about|rooted_in {team_id: $team_id}]-(t:Deleted {deleted_with: n.entity_key})
  FOREACH (_ IN CASE WHEN t.deleted_kind = 'macro' THEN [1] ELSE [] END | SET t:Memory:Macro)
  FOREACH (_ IN CASE WHEN t.deleted_kind = 'storyline' THEN [1] ELSE [] END | SET t:Memory:Storyline)
  REMOVE t:Deleted
  SET t.deleted_kind = null, t.deleted_at = null, t.deleted_with = null
  RETURN collect(t) AS about
}
CALL (n, about) {
  UNWIND about + [n] AS t
  MATCH (o:Macro)-[:groups {team_id: $team_id}]->(t:Storyline)
  SET o.source_count = o.source_count + t.source_count, o.storyline_count = o.storyline_count + 1
  RETURN count(o) AS regrouped
}
CALL (n) {
  MATCH (n)<-[:includes {team_id: $team_id}]-(t:Storyline)
  SET t.source_count = t.source_count + 1
  WITH t
  MATCH (t)<-[:groups {team_id: $team_id}]-(o:Macro)
  SET o.source_count = o.source_count + 1
  RETURN count(t) AS counted
}
RETURN sum(size(about)) AS stories
