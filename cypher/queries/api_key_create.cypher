// Stores an API key's hash. An existing key id keeps its properties; with $bootstrap it is marked as a bootstrap key.
// mode: write
// scope: server
// params: team_id, key_id, properties, bootstrap
// returns: hash
MERGE (k:ApiKey {key_id: $key_id})
ON CREATE SET k.team_id = $team_id, k += $properties
SET k.bootstrap = CASE
  WHEN $bootstrap
  THEN true
  ELSE k.bootstrap
END
RETURN k.hash AS hash
