// Ends a transaction of a team: adds what it stored to the team's usage, and what it changed to the team's feed.
//
// $usage has a row, or none if nothing is counted. The rest returns the new usage, until when the count is trusted (milliseconds since
// 1970; 0 if never counted, or by a version that counted less), and the team's own quota.
// $rows has the commits for the feed, which get the next numbers. The usage and the feed are locked from here to the end of the
// transaction, so that each writer sees the full usage, and the numbers are in the order of the commits.
// A new feed starts behind the numbers of an erased one, which had fewer commits than there were milliseconds.
// mode: write
// params: team_id, usage, at, written, rows
// returns: nodes, relationships, characters, fresh_until, max_nodes, max_relationships, max_characters
OPTIONAL CALL () {
  UNWIND $usage AS more
  MERGE (q:Quota {team_id: $team_id})
  SET q.nodes = coalesce(q.nodes, 0) + more.nodes,
    q.fresh_until = CASE WHEN q.relationships IS NULL THEN 0 ELSE q.fresh_until END
  SET q.relationships = coalesce(q.relationships, 0) + more.relationships,
    q.characters = coalesce(q.characters, 0) + more.characters
  RETURN q
}
CALL (q) {
  WITH size($rows) AS commits WHERE commits > 0
  MERGE (f:Feed {team_id: $team_id})
  ON CREATE SET f.seq = $at, f.begun = $at, f.pruned = $at
  SET f.seq = f.seq + commits
  WITH f.seq - commits AS before
  UNWIND range(1, size($rows)) AS number
  WITH before + number AS seq, $rows[number - 1] AS row
  CREATE (c:Commit {team_id: $team_id, seq: seq})
  SET c.at = $at, c.written = $written, c.user_id = row.user_id, c.items = row.items, c.packed = row.packed
}
RETURN coalesce(q.nodes, 0) AS nodes,
  coalesce(q.relationships, 0) AS relationships,
  coalesce(q.characters, 0) AS characters,
  coalesce(q.fresh_until, 0) AS fresh_until,
  q.max_nodes AS max_nodes,
  q.max_relationships AS max_relationships,
  q.max_characters AS max_characters
