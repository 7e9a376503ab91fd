// Returns the nodes that have the rarest blocks in common with each of some nodes. Blocks are hashes of the team, the user and the kind
// too, so that only nodes of one team, user and kind meet.
// mode: read
// params: team_id, entity_keys, limit
// returns: entity_key, others
UNWIND $entity_keys AS key
MATCH (n:DuplicateBlocks {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:DuplicateBlocks(team_id, entity_key)
WHERE n.blocks <> ''
CALL (n) {
  CALL db.index.fulltext.queryNodes('duplicate_blocks', n.blocks, {limit: $limit}) YIELD node AS b
  WHERE b.team_id = $team_id
    AND b <> n
  RETURN collect(b.entity_key) AS others
}
RETURN n.entity_key AS entity_key,
  others
LIMIT 100000
