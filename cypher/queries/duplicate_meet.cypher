// Returns the nodes that have blocks in common with each of some nodes, with their blocks. These are hashes of the team, the user and the
// kind too, so that only nodes of one team, user and kind meet. Which come first depends on all blocks of the index, so the caller ranks
// them.
// mode: read
// params: team_id, entity_keys, limit
// returns: entity_key, blocks, others
UNWIND $entity_keys AS key
MATCH (n:DuplicateBlocks {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:DuplicateBlocks(team_id, entity_key)
WHERE n.blocks <> ''
CALL (n) {
  CALL db.index.fulltext.queryNodes('duplicate_blocks', n.blocks, {limit: $limit}) YIELD node AS b
  WHERE b.team_id = $team_id
    AND b <> n
  RETURN collect([b.entity_key, b.blocks]) AS others
}
RETURN n.entity_key AS entity_key,
  n.blocks AS blocks,
  others
LIMIT 100000
