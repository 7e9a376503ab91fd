// Returns which of some containment relationships close a cycle with others that hold, from now on, while they do:
// between row.valid_from and row.valid_to.
// mode: read
// params: team_id, rows, now
// returns: key
UNWIND $rows AS row
WITH row, CASE WHEN row.valid_from > $now THEN row.valid_from ELSE $now END AS begins
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK b:Memory(team_id, entity_key)
MATCH p = shortestPath((b)-[:contains|has_plan|has_task|has_goal|has_document|has_output|has_risk|has_milestone|has_metric|has_requirement|has_source|has_decision|has_context_document|has_part*..64]->(a))
WHERE all(r IN relationships(p) WHERE r.team_id = $team_id AND coalesce(r.valid_to > begins, true) AND coalesce(r.valid_from < row.valid_to, true))
RETURN row.key AS key
LIMIT 100000
