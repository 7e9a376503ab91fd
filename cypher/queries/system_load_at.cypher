// Returns the entities and relationships that a system had at a time, as system_load returns the stored ones: of each the version that
// was replaced or deleted first after the time, else the stored one. If that was written later, the last one that is kept
// from before, or else it without texts. $listed is where deletes keep the keys of what they removed.
// mode: read
// params: team_id, system, listed, at
// returns: before, entities, relationships, after, updated_at
OPTIONAL MATCH (s:System {team_id: $team_id, name: $system})
WITH s.version AS before
CALL (before) {
  CALL () {
    MATCH (n:SystemEntity {team_id: $team_id, system: $system})
    USING INDEX SEEK n:SystemEntity(team_id, system, seq)
    WHERE n.seq >= 0
    RETURN n.entity_key AS key
    UNION
    MATCH (l:Former {team_id: $team_id, former_of: $listed})
    USING INDEX SEEK l:Former(team_id, former_of, until)
    WHERE l.until > $at
    UNWIND l.entity_keys AS key
    RETURN key
    UNION
    MATCH (n:Deleted {team_id: $team_id})
    USING INDEX SEEK n:Deleted(team_id)
    WHERE n.deleted_kind = 'system_entity' AND n.system = $system AND n.deleted_at.epochMillis > $at
    RETURN n.entity_key AS key
  }
  CALL (key) {
    CALL (key) {
      MATCH (n:Former {team_id: $team_id, former_of: key})
      USING INDEX SEEK n:Former(team_id, former_of, until)
      WHERE n.until > $at AND n.entity_key = key
      WITH n
      ORDER BY n.until, n.version
      LIMIT 1
      RETURN n, n.until AS until
      UNION ALL
      MATCH (n:Deleted {team_id: $team_id, entity_key: key})
      USING INDEX SEEK n:Deleted(team_id, entity_key)
      WHERE n.deleted_at.epochMillis > $at
      RETURN n, n.deleted_at.epochMillis AS until
      UNION ALL
      MATCH (n:Memory {team_id: $team_id, entity_key: key})
      USING INDEX SEEK n:Memory(team_id, entity_key)
      RETURN n, 9007199254740991 AS until
    }
    WITH n, until
    ORDER BY until
    LIMIT 1
    RETURN n, until
  }
  WITH key, n, until
  WHERE n.system = $system AND coalesce(n.restored_at, n.created_at.epochMillis, 0) <= $at
  WITH key, n, until, coalesce(n.version > 1 AND n.updated_at.epochMillis > $at, false) AS late
  CALL (key, late) {
    MATCH (f:Former {team_id: $team_id, former_of: key})
    USING INDEX SEEK f:Former(team_id, former_of, until)
    WHERE late AND f.until <= $at AND f.entity_key = key
    WITH f
    ORDER BY f.until DESC, f.version DESC
    LIMIT 1
    RETURN collect(f) AS earlier
  }
  WITH key, until, late AND size(earlier) = 0 AS bare, CASE WHEN size(earlier) > 0 THEN earlier[0] ELSE n END AS n
  CALL (key) {
    OPTIONAL MATCH (p:Former {team_id: $team_id, former_of: key + '\u001fplace'})
    USING INDEX SEEK p:Former(team_id, former_of, until)
    WHERE p.until > $at
    WITH p
    ORDER BY p.until
    LIMIT 1
    RETURN p
  }
  WITH n, bare, CASE WHEN p.until <= until THEN p.seq ELSE n.seq END AS seq
  WHERE seq >= 0
  WITH n, bare, seq
  ORDER BY seq, n.entity_key
  LIMIT 20000
  RETURN collect([
    n.entity_key, n.name, CASE WHEN bare THEN '' ELSE n.description END, n.type, CASE WHEN bare THEN [] ELSE n.tags END,
    CASE WHEN NOT bare THEN n.properties END, seq, n.version,
    n.created_at.epochMillis, n.updated_at.epochMillis, n.trust, n.origin
  ]) AS entities
}
CALL (before) {
  CALL () {
    MATCH ()-[r:system_relationship {team_id: $team_id, system: $system}]->()
    USING INDEX SEEK r:system_relationship(team_id, system, seq)
    WHERE r.seq >= 0
    RETURN r.key AS key, r
    UNION ALL
    MATCH (l:Former {team_id: $team_id, former_of: $listed})
    USING INDEX SEEK l:Former(team_id, former_of, until)
    WHERE l.until > $at
    UNWIND l.relationship_keys AS key
    RETURN key, null AS r
    UNION ALL
    MATCH (d:DeletedRelationship {team_id: $team_id})
    USING INDEX SEEK d:DeletedRelationship(team_id)
    WHERE d.system = $system AND d.deleted_at.epochMillis > $at
    RETURN d.key AS key, null AS r
  }
  WITH key, head(collect(r)) AS stored
  CALL (key, stored) {
    CALL (key, stored) {
      MATCH (r:Former {team_id: $team_id, former_of: key})
      USING INDEX SEEK r:Former(team_id, former_of, until)
      WHERE r.until > $at AND r.key = key AND r.former_type = 'system_relationship'
      WITH r
      ORDER BY r.until, r.version
      LIMIT 1
      RETURN properties(r) AS r, r.until AS until
      UNION ALL
      MATCH (d:DeletedRelationship {team_id: $team_id, key: key})
      USING INDEX SEEK d:DeletedRelationship(team_id, key)
      WHERE d.deleted_at.epochMillis > $at
      RETURN properties(d) AS r, d.deleted_at.epochMillis AS until
      UNION ALL
      WITH stored
      WHERE stored IS NOT NULL
      RETURN properties(stored) AS r, 9007199254740991 AS until
    }
    WITH r, until
    ORDER BY until
    LIMIT 1
    RETURN r, until
  }
  WITH key, r, until
  WHERE r.system = $system AND coalesce(r.restored_at, r.valid_from.epochMillis, 0) <= $at
  CALL (key) {
    OPTIONAL MATCH (p:Former {team_id: $team_id, former_of: key + '\u001fplace'})
    USING INDEX SEEK p:Former(team_id, former_of, until)
    WHERE p.until > $at
    WITH p
    ORDER BY p.until
    LIMIT 1
    RETURN p
  }
  WITH r, CASE WHEN p.until <= until THEN p.seq ELSE r.seq END AS seq
  WHERE seq >= 0
  WITH r, seq
  ORDER BY seq, r.key
  LIMIT 20000
  RETURN collect([
    r.key, '', '', r.relationship_type, r.properties, seq, r.from_key, r.to_key, coalesce(r.version, 1)
  ]) AS relationships
}
OPTIONAL MATCH (t:System {team_id: $team_id, name: $system})
RETURN before,
  entities,
  relationships,
  t.version AS after,
  t.updated_at AS updated_at
LIMIT 1
