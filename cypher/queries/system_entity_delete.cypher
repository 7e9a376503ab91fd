// Deletes entities of a system with all their relationships. Each becomes a former version, and a list of their keys is kept under
// $listed, by which system_load_at finds them.
// mode: write
// params: team_id, entity_keys, listed, now, thin_at
// returns: entities, relationships
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
CALL (n) {
  MATCH (n)-[r {team_id: $team_id}]-()
  WHERE r.key IS NOT NULL
  WITH DISTINCT r
  CREATE (f:Former {team_id: $team_id})
  SET f = r{.*, notes: null, notes_expire_at: null, search_scope: null, owner_key: null, node_key: null, node_salience: null, node_decay_rate: null,
    node_salience_at: null, node_until: null, hub_from: null, hub_to: null, former_of: r.key, former_type: type(r), from_key: startNode(r).entity_key, to_key: endNode(r).entity_key,
    former_kind: CASE WHEN r:system_relationship THEN 'system_relationship' ELSE 'relationship' END, deleted: true, until: $now, thin_at: $thin_at}
  DELETE r
  RETURN collect(CASE WHEN f.former_kind = 'system_relationship' THEN f.former_of END) AS links
}
CREATE (f:Former {team_id: $team_id})
SET f = n{.*, notes: null, notes_expire_at: null, near: null, search_scope: null, vector: null, vector_scope: null, vector_seq: null, embed_due: null, hub_key: null, hub_types: null,
  former_of: n.entity_key, former_kind: 'system_entity', deleted: true, until: $now, thin_at: $thin_at}
DETACH DELETE n
WITH collect(f.former_of) AS gone, collect(links) AS links
WITH gone, reduce(all = [], some IN links | all + some) AS links
CALL (gone, links) {
  UNWIND range(0, CASE WHEN size(gone) > size(links) THEN size(gone) ELSE size(links) END - 1, 250) AS start
  CREATE (l:Former {team_id: $team_id, former_of: $listed})
  SET l.former_kind = 'system', l.until = $now, l.version = start, l.entity_keys = gone[start..start + 250], l.relationship_keys = links[start..start + 250]
  RETURN count(l) AS lists
}
RETURN size(gone) AS entities,
  size(links) AS relationships
