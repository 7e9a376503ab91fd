// Returns which relationships of systems, by their ends and types, there are: their positions among the rows.
// mode: read
// params: team_id, rows
// returns: position
UNWIND $rows AS row
MATCH ()-[r:system_relationship {team_id: $team_id, from_key: row.from, to_key: row.to, relationship_type: row.type}]->()
USING INDEX SEEK r:system_relationship(team_id, from_key, to_key, relationship_type)
RETURN row.position AS position
LIMIT 20001
