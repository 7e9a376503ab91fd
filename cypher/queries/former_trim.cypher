// Deletes all but the last $kept former versions of some records.
// mode: write
// params: team_id, keys, kept
// returns: deleted
UNWIND $keys AS key
CALL (key) {
  MATCH (f:Former {team_id: $team_id, former_of: key})
  USING INDEX SEEK f:Former(team_id, former_of, until)
  WHERE f.until IS NOT NULL
  WITH f
  ORDER BY f.until DESC, f.version DESC
  SKIP $kept
  DELETE f
  RETURN count(f) AS deleted
}
RETURN sum(deleted) AS deleted
