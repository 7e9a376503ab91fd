// Returns which of some containment relationships close a cycle.
// mode: read
// params: team_id, rows
// returns: key
UNWIND $rows AS row
MATCH (a:Memory {team_id: $team_id, entity_key: row.from})
USING INDEX SEEK a:Memory(team_id, entity_key)
MATCH (b:Memory {team_id: $team_id, entity_key: row.to})
USING INDEX SEEK b:Memory(team_id, entity_key)
MATCH p = shortestPath((b)-[:contains|has_plan|has_task|has_goal|has_document|has_output|has_risk|has_milestone|has_metric|has_requirement|has_source|has_decision|has_context_document|has_part*..64]->(a))
WHERE all(r IN relationships(p) WHERE r.valid_to IS NULL AND r.team_id = $team_id)
RETURN row.key AS key
LIMIT 100000
