// Changes the given properties of relationships of systems.
// mode: write
// params: team_id, rows
// returns: updated
UNWIND $rows AS row
MATCH ()-[r:system_relationship {team_id: $team_id, from_key: row.from_key, to_key: row.to_key, relationship_type: row.relationship_type}]->()
USING INDEX SEEK r:system_relationship(team_id, from_key, to_key, relationship_type)
SET r += row.properties
RETURN count(r) AS updated
