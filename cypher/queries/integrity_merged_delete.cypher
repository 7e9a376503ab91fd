// Removes what makes the key of a merged node lead to a node: the mark of the key, and the key from the node.
// mode: write
// params: team_id, key, into
// returns: deleted
OPTIONAL MATCH (n:Memory {team_id: $team_id, entity_key: $into})
USING INDEX SEEK n:Memory(team_id, entity_key)
FOREACH (one IN CASE WHEN $key IN n.merged_keys THEN [n] ELSE [] END |
  SET one.merged_keys = CASE WHEN size(one.merged_keys) > 1 THEN [other IN one.merged_keys WHERE other <> $key] END
)
WITH count(*) AS found
MATCH (d:Deleted {team_id: $team_id, entity_key: $key})
USING INDEX SEEK d:Deleted(team_id, entity_key)
WHERE d.merged_into = $into
  AND d.deleted_at IS NULL
DELETE d
RETURN count(*) AS deleted
