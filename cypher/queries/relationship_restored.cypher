// Turns the records of restored relationships into former versions, which ended with the delete.
// mode: write
// params: team_id, keys, thin_at
// returns: forgotten
UNWIND $keys AS key
MATCH (d:DeletedRelationship {team_id: $team_id, key: key})
SET d:Former, d.former_of = key, d.former_kind = 'relationship', d.former_type = d.deleted_type, d.until = d.deleted_at.epochMillis, d.thin_at = $thin_at,
  d.notes = null, d.notes_expire_at = null, d.search_scope = null, d.deleted_type = null, d.deleted_at = null, d.deleted_by = null
REMOVE d:DeletedRelationship
RETURN count(d) AS forgotten
