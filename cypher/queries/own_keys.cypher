// Finds which stored forms of callers' keys exist, for nodes of the memory, chat trees and turns. A row has a key and one of its forms.
// mode: read
// params: team_id, rows
// returns: key, stored
UNWIND $rows AS row
OPTIONAL MATCH (n:Memory {team_id: $team_id, entity_key: row.stored})
USING INDEX SEEK n:Memory(team_id, entity_key)
OPTIONAL MATCH (d:Deleted {team_id: $team_id, entity_key: row.stored})
USING INDEX SEEK d:Deleted(team_id, entity_key)
OPTIONAL MATCH (t:ChatTree {team_id: $team_id, id: row.stored})
USING INDEX SEEK t:ChatTree(team_id, id)
OPTIONAL MATCH (u:ChatTurn {team_id: $team_id, id: row.stored})
USING INDEX SEEK u:ChatTurn(team_id, id)
WITH row, coalesce(n, d, t, u) AS found
WHERE found IS NOT NULL
RETURN DISTINCT row.key AS key,
  row.stored AS stored
LIMIT 10000
