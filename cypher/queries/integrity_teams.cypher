// Returns the first team after another one that has nodes or chats.
// mode: read
// scope: server
// params: after
// returns: team_id
CALL () {
  MATCH (n:Memory)
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.team_id > $after
    AND n.entity_key IS NOT NULL
  WITH n
  ORDER BY n.team_id, n.entity_key
  LIMIT 1
  RETURN n.team_id AS team_id
  UNION
  MATCH (n:ChatTree)
  USING INDEX SEEK n:ChatTree(team_id, id)
  WHERE n.team_id > $after
    AND n.id IS NOT NULL
  WITH n
  ORDER BY n.team_id, n.id
  LIMIT 1
  RETURN n.team_id AS team_id
}
WITH team_id
ORDER BY team_id
LIMIT 1
RETURN team_id
LIMIT 1
