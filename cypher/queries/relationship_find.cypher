// Returns for each row the relationships of its type between its ends that a write may mean: the current one, one
// closed at the row's valid_to (writing that again finds it), those that ended after the row's since, and the one with
// the row's key. A row has a word when its type may be the team's own, whichever real type its relationships have. The
// hints keep the planner from reading all relationships in a new database, where it has few statistics.
// mode: read
// params: team_id, rows
// returns: position, properties
UNWIND range(0, size($rows) - 1) AS position
WITH position, $rows[position] AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})-[r {team_id: $team_id}]->(b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK a:Memory(team_id, entity_key)
USING INDEX SEEK b:Memory(team_id, entity_key)
WHERE CASE WHEN row.word IS NULL THEN type(r) = row.type ELSE coalesce(r.type_word, type(r)) = row.word END
  AND (r.valid_to IS NULL OR r.valid_to = row.valid_to OR r.valid_to > row.since OR r.key = row.key)
RETURN row.position AS position,
  [name IN keys(r) WHERE name <> 'embedding' | [name, r[name]]] AS properties
LIMIT 100000
