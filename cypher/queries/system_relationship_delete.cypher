// Deletes relationships of systems.
// mode: write
// params: team_id, rows
// returns: deleted
UNWIND $rows AS row
MATCH ()-[r:system_relationship {team_id: $team_id, from_key: row.from_key, to_key: row.to_key, relationship_type: row.relationship_type}]->()
USING INDEX SEEK r:system_relationship(team_id, from_key, to_key, relationship_type)
DELETE r
RETURN count(r) AS deleted
