// Returns nodes of some teams that wait for a vector, of each team up to $limit, longest waiting first, with the parts of their text.
// What searches leave out, because it has little trust, has no text.
// mode: read
// scope: server
// params: teams, now_ms, limit, least_trust
// returns: team_id, entity_key, user_id, embed_due, labels, texts, keywords, aliases
UNWIND $teams AS team
CALL (team) {
  MATCH (n:Memory {team_id: team})
  USING INDEX SEEK n:Memory(team_id, embed_due)
  WHERE n.embed_due <= $now_ms
  WITH n
  ORDER BY n.team_id, n.embed_due
  LIMIT $limit
  RETURN n
}
RETURN n.team_id AS team_id,
  n.entity_key AS entity_key,
  n.user_id AS user_id,
  n.embed_due AS embed_due,
  labels(n) AS labels,
  CASE WHEN n.trust < $least_trust AND (n:Message OR n:Source) THEN [null, null, null, null] ELSE [n.name, n.description, n.summary, n.text] END AS texts,
  n.keywords AS keywords,
  n.aliases AS aliases
LIMIT 100000
