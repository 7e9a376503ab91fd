// Anonymises a user's authorship of given nodes: who created, changed or deleted them, who took part, and who added
// notes. Removes notes that Kith did not write itself.
// mode: write
// params: team_id, user_id, author, spaced_author, scope_token, entity_keys, limit
// returns: found, anonymised, notes
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
WITH n, [name IN keys(n) WHERE name ENDS WITH '_by' AND n[name] = $user_id] AS names,
  coalesce($user_id IN n.participants, false) AS participant,
  size([note IN coalesce(n.notes, []) WHERE note CONTAINS $author OR note CONTAINS $spaced_author]) AS notes
WHERE size(names) > 0
  OR participant
  OR notes > 0
WITH n, names, participant, notes
LIMIT $limit
FOREACH (name IN names | SET n[name] = null)
SET n.participants = [p IN n.participants WHERE p <> $user_id],
  n.search_scope = replace(n.search_scope, ' ' + $scope_token, ''),
  n.notes = [note IN n.notes
    WHERE NOT note CONTAINS $spaced_author
      AND (NOT note CONTAINS $author OR note CONTAINS ',"source_entity_key":' AND note CONTAINS ',"expires_at":')
    | CASE WHEN note CONTAINS $author
      THEN replace(split(note, ',"source_entity_key":')[0], $author, '"added_by":null') + ',"source_entity_key":null,"expires_at":' + split(note, ',"expires_at":')[1]
      ELSE note END]
RETURN count(*) AS found,
  sum(CASE WHEN size(names) > 0 OR participant THEN 1 ELSE 0 END) AS anonymised,
  sum(notes) AS notes
