// Stores when API keys were last used. A later time stored by another process stays.
// mode: write
// scope: server
// params: rows
// returns: touched
UNWIND $rows AS row
MATCH (k:ApiKey {key_id: row.key_id})
SET k.last_used_at = CASE
  WHEN k.last_used_at > row.at
  THEN k.last_used_at
  ELSE row.at
END
RETURN count(*) AS touched
