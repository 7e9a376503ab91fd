// Returns a team's usage, including deleted data that can be restored: nodes, relationships with $relationships, and
// with $texts the characters of all texts, of former versions and compressed ones too. deleted counts the deleted nodes and
// relationships. It reads all of the team's data, but what is kept of its reads.
// mode: read
// params: team_id, relationships, texts
// returns: nodes, relationships, characters, deleted
CALL () {
  MATCH (n:Memory {team_id: $team_id})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.entity_key IS NOT NULL
  RETURN n, 0 AS gone
  UNION ALL
  MATCH (n:Deleted {team_id: $team_id})
  USING INDEX SEEK n:Deleted(team_id)
  RETURN n, 1 AS gone
}
CALL (n) {
  WITH n
  WHERE $relationships
  MATCH (n)-[r {team_id: $team_id}]->()
  WHERE r.key IS NOT NULL
  WITH CASE WHEN $texts THEN [name IN keys(r) WHERE NOT name IN ['team_id', 'written', 'hub_from', 'hub_to'] | r[name]] ELSE [] END AS all
  RETURN count(*) AS links,
    sum(reduce(size = 0, v IN all | size + CASE
      WHEN v IS :: STRING NOT NULL THEN size(v)
      WHEN v IS :: LIST<STRING NOT NULL> NOT NULL THEN reduce(s = 0, t IN v | s + size(t))
      ELSE 0
    END)) AS linked
}
WITH gone, links, linked,
  CASE WHEN $texts THEN [name IN keys(n) WHERE NOT name IN ['team_id', 'vector', 'vector_scope', 'near', 'search_scope', 'written', 'hub_key', 'hub_types', 'deleted_kind', 'deleted_by', 'deleted_with'] | n[name]] ELSE [] END AS all
WITH count(*) AS nodes, sum(links) AS links, sum(gone) AS gone,
  sum(linked + reduce(size = 0, v IN all | size + CASE
    WHEN v IS :: STRING NOT NULL THEN size(v)
    WHEN v IS :: LIST<STRING NOT NULL> NOT NULL THEN reduce(s = 0, t IN v | s + size(t))
    ELSE 0
  END)) AS size
CALL () {
  CALL () {
    MATCH (n:ChatTree {team_id: $team_id})
    USING INDEX SEEK n:ChatTree(team_id)
    RETURN n, 1 AS node, 0 AS link
    UNION ALL
    MATCH (n:ChatTurn {team_id: $team_id})
    USING INDEX SEEK n:ChatTurn(team_id)
    RETURN n, 1 AS node, 0 AS link
    UNION ALL
    MATCH (n:Statement {team_id: $team_id})
    USING INDEX SEEK n:Statement(team_id, key)
    WHERE n.key IS NOT NULL
    RETURN n, 1 AS node, 0 AS link
    UNION ALL
    MATCH (n:DuplicateRefusal {team_id: $team_id})
    USING INDEX SEEK n:DuplicateRefusal(team_id)
    RETURN n, 1 AS node, 0 AS link
    UNION ALL
    MATCH (n:Review {team_id: $team_id})
    USING INDEX SEEK n:Review(team_id, key)
    WHERE n.key IS NOT NULL
    RETURN n, 1 AS node, 0 AS link
    UNION ALL
    MATCH (n:TrustRule {team_id: $team_id})
    USING INDEX SEEK n:TrustRule(team_id)
    RETURN n, 1 AS node, 0 AS link
    UNION ALL
    MATCH (n:DeletedRelationship {team_id: $team_id})
    USING INDEX SEEK n:DeletedRelationship(team_id)
    RETURN n, 0 AS node, 1 AS link
    UNION ALL
    MATCH (n:Former {team_id: $team_id})
    USING INDEX SEEK n:Former(team_id)
    RETURN n, 0 AS node, 0 AS link
    UNION ALL
    MATCH (n:Preference {team_id: $team_id})
    USING INDEX SEEK n:Preference(team_id)
    RETURN n, 0 AS node, 0 AS link
    UNION ALL
    MATCH (n:IdempotencyKey {team_id: $team_id})
    USING INDEX SEEK n:IdempotencyKey(team_id)
    RETURN n, 0 AS node, 0 AS link
    UNION ALL
    MATCH (n:Import {team_id: $team_id})
    USING INDEX SEEK n:Import(team_id)
    RETURN n, 0 AS node, 0 AS link
    UNION ALL
    MATCH (n:System {team_id: $team_id})
    USING INDEX SEEK n:System(team_id, name)
    WHERE n.name IS NOT NULL
    RETURN n, 0 AS node, 0 AS link
  }
  WITH node, link, CASE WHEN $texts THEN coalesce(n.size, 0) ELSE 0 END AS held,
    CASE WHEN $texts THEN [name IN keys(n) WHERE NOT name IN ['team_id', 'written', 'hub_key', 'hub_types', 'hub_from', 'hub_to', 'deleted_type', 'deleted_by', 'former_of', 'former_kind', 'former_type', 'from_key', 'to_key', 'entity_keys', 'relationship_keys'] | n[name]] ELSE [] END AS all
  RETURN sum(node) AS more, sum(link) AS dead,
    sum(held + reduce(size = 0, v IN all | size + CASE
      WHEN v IS :: STRING NOT NULL THEN size(v)
      WHEN v IS :: LIST<STRING NOT NULL> NOT NULL THEN reduce(s = 0, t IN v | s + size(t))
      ELSE 0
    END)) AS rest
}
RETURN nodes + more AS nodes,
  links + dead AS relationships,
  size + rest AS characters,
  gone + dead AS deleted
