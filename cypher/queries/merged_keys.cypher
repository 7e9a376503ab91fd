// Makes keys of merged nodes lead to the nodes of an import that have taken their places.
// mode: write
// params: team_id, rows
// returns: stored
UNWIND $rows AS row
MERGE (d:Deleted {team_id: $team_id, entity_key: row.key})
ON CREATE SET d.user_id = row.user_id, d.merged_into = row.into
RETURN count(d) AS stored
