// Anonymises a user's authorship of some relationships from given nodes, as erasure_anonymise.cypher does.
// mode: write
// params: team_id, user_id, author, spaced_author, entity_keys, limit
// returns: found, anonymised, notes
UNWIND $entity_keys AS key
MATCH (n:Memory {team_id: $team_id, entity_key: key})
USING INDEX SEEK n:Memory(team_id, entity_key)
MATCH (n)-[r]->()
WITH r, [name IN keys(r) WHERE name ENDS WITH '_by' AND r[name] = $user_id] AS names,
  coalesce($user_id IN r.participants, false) AS participant,
  size([note IN coalesce(r.notes, []) WHERE note CONTAINS $author OR note CONTAINS $spaced_author]) AS notes
WHERE size(names) > 0
  OR participant
  OR notes > 0
WITH r, names, participant, notes
LIMIT $limit
FOREACH (name IN names | SET r[name] = null)
SET r.participants = [p IN r.participants WHERE p <> $user_id],
  r.notes = [note IN r.notes
    WHERE NOT note CONTAINS $spaced_author
      AND (NOT note CONTAINS $author OR note CONTAINS ',"source_entity_key":' AND note CONTAINS ',"expires_at":')
    | CASE WHEN note CONTAINS $author
      THEN replace(split(note, ',"source_entity_key":')[0], $author, '"added_by":null') + ',"source_entity_key":null,"expires_at":' + split(note, ',"expires_at":')[1]
      ELSE note END]
RETURN count(*) AS found,
  sum(CASE WHEN size(names) > 0 OR participant THEN 1 ELSE 0 END) AS anonymised,
  sum(notes) AS notes
