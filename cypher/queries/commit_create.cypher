// Adds what a transaction has changed to the feed of its team: one commit for each row, with the next numbers. The feed is locked
// from here to the end of the transaction, so that the numbers are in the order of the commits.
// mode: write
// params: team_id, at, written, rows
// returns: last
MERGE (f:Feed {team_id: $team_id})
SET f.seq = coalesce(f.seq, 0) + size($rows)
WITH f.seq AS last
CALL (last) {
  UNWIND range(0, size($rows) - 1) AS position
  WITH last - size($rows) + position + 1 AS seq, $rows[position] AS row
  CREATE (c:Commit {team_id: $team_id, seq: seq})
  SET c.at = $at, c.written = $written, c.user_id = row.user_id, c.items = row.items
  RETURN count(c) AS created
}
RETURN last
