// How many nodes a team has, and how many characters their texts have, where $texts asks for that: all of them are read.
// mode: read
// params: team_id, texts
// returns: nodes, characters
MATCH (n:Memory {team_id: $team_id})
USING INDEX SEEK n:Memory(team_id, entity_key)
WHERE n.entity_key IS NOT NULL
WITH CASE
  WHEN $texts
  THEN reduce(size = 0, text IN [n.name, n.description, n.summary, n.text, n.content, n.properties] | size + size(coalesce(text, '')))
    + reduce(size = 0, note IN coalesce(n.notes, []) | size + size(note))
  ELSE 0
END AS size
RETURN count(*) AS nodes,
  sum(size) AS characters
LIMIT 1
