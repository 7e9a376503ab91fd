// Stores an API key's hash; a key id that exists keeps what it has, but is noted to be a bootstrap key where $bootstrap says so.
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
