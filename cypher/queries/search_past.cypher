// Returns the keys of nodes and relationships of which a version that was replaced or deleted after a time contains one of some words, or
// a word that begins so: at most $most, those first that were replaced first. $kinds are the kinds of nodes, and relationship.
// mode: read
// params: team_id, user_id, at, kinds, words, most
// returns: nodes, relationships
CALL () {
  MATCH (n:Former {team_id: $team_id})
  USING INDEX SEEK n:Former(team_id)
  WHERE n.until > $at
    AND n.former_kind IN $kinds
  RETURN n, n.until AS until, n.former_of AS key, n.former_kind = 'relationship' AS link
  UNION ALL
  MATCH (n:Deleted {team_id: $team_id})
  USING INDEX SEEK n:Deleted(team_id, entity_key)
  WHERE n.entity_key IS NOT NULL
    AND n.deleted_at.epochMillis > $at
    AND n.deleted_kind IN $kinds
  RETURN n, n.deleted_at.epochMillis AS until, n.entity_key AS key, false AS link
  UNION ALL
  MATCH (n:DeletedRelationship {team_id: $team_id})
  USING INDEX SEEK n:DeletedRelationship(team_id, key)
  WHERE n.key IS NOT NULL
    AND n.deleted_at.epochMillis > $at
    AND 'relationship' IN $kinds
  RETURN n, n.deleted_at.epochMillis AS until, n.key AS key, true AS link
}
WITH n, until, key, link
WHERE n.user_id IS NULL OR n.user_id = $user_id
WITH until, key, link, toLower(reduce(all = '', text IN [n.name, n.canonical_name, n.description, n.type, n.text, n.content, n.goal, n.outcome,
    n.rationale, n.next_step_short, n.next_step_long, n.relationship_type] | all + ' ' + coalesce(text, ''))) AS all
WHERE any(word IN $words WHERE all CONTAINS word)
WITH key, link, min(until) AS until
ORDER BY until, key
LIMIT $most
RETURN [x IN collect([key, link]) WHERE NOT x[1] | x[0]] AS nodes, [x IN collect([key, link]) WHERE x[1] | x[0]] AS relationships
LIMIT 1
