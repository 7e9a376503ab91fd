// Stores an API key's hash; a key id that exists keeps what it has.
// mode: write
// scope: server
// params: team_id, key_id, properties
// returns: hash
MERGE (k:ApiKey {key_id: $key_id})
ON CREATE SET k.team_id = $team_id, k += $properties
RETURN k.hash AS hash
