// Returns the former versions of some records of a team, as former_export does.
// mode: read
// params: team_id, of
// returns: kind, of, type, from, to, until, properties
UNWIND $of AS record
MATCH (f:Former {team_id: $team_id, former_of: record})
USING INDEX SEEK f:Former(team_id, former_of, until)
WHERE f.until IS NOT NULL
  AND (EXISTS { (:Memory {team_id: $team_id, entity_key: f.former_of}) } OR NOT EXISTS { (:Deleted {team_id: $team_id, entity_key: f.former_of}) })
  AND NOT EXISTS { (:DeletedRelationship {team_id: $team_id, key: f.former_of}) }
  AND CASE f.former_kind
    WHEN 'system' THEN false
    WHEN 'statement' THEN EXISTS {
      MATCH (x:Statement {team_id: $team_id, key: f.former_of})
      WHERE EXISTS { (:Memory {team_id: $team_id, entity_key: x.message_key}) }
    }
    WHEN 'relationship' THEN NOT EXISTS {
      UNWIND [f.from_key, f.to_key] AS end_key
      MATCH (d:Deleted {team_id: $team_id, entity_key: end_key})
      WHERE d.merged_into IS NULL
        AND NOT EXISTS { (:Memory {team_id: $team_id, entity_key: end_key}) }
    }
    WHEN 'preference' THEN EXISTS { (:Preference {team_id: $team_id, user_id: f.user_id, key: f.key}) }
    ELSE NOT EXISTS {
      MATCH (d:Former {team_id: $team_id, former_of: split(f.former_of, '\u001f')[0]})
      WHERE d.until IS NOT NULL
        AND d.deleted
    }
  END
WITH f
ORDER BY f.former_of, f.until, f.version
RETURN f.former_kind AS kind, f.former_of AS of, f.former_type AS type, f.from_key AS from, f.to_key AS to, f.until AS until,
  [name IN keys(f) WHERE NOT name IN ['team_id', 'former_kind', 'former_of', 'former_type', 'from_key', 'to_key', 'until', 'thin_at'] | [name, f[name]]] AS properties
LIMIT 100000
