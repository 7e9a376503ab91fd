// Returns the links of nodes of a project within it. $derived are the nodes with derived counts: tasks, done tasks,
// plans, goals and outputs of each, how many nodes it depends on, and how many depend on it; for $focus also the keys
// of the first three. $picture are the nodes whose relationships are returned, at most $walk of a node that the caller
// may see, as key, type and both ends. Of the $open kinds the best ten at their ends are returned too, with the
// relationships among them.
// mode: read
// params: team_id, user_id, project_id, derived, focus, picture, open, walk, now
// returns: derived, edges, further
CALL () {
  UNWIND $derived AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.user_id IS NULL OR n.user_id = $user_id
  CALL (n) {
    MATCH (n)-[r:has_task|belongs_to_plan|supports_goal|achieved_by|requires|produces|produced_by|depends_on|blocks]-(m)
    WHERE m.team_id = $team_id
      AND m.project_id = $project_id
      AND (m.user_id IS NULL OR m.user_id = $user_id)
      AND m.workspace_counted IS NOT NULL
      AND coalesce(r.valid_to > $now, true)
      AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    WITH n, m, type(r) AS type, startNode(r) = n AS out
    WITH n, m,
      type = 'has_task' AND out OR type = 'belongs_to_plan' AND NOT out AS planned,
      type = 'has_task' AND NOT out OR type = 'belongs_to_plan' AND out AS plans,
      type IN ['has_task', 'achieved_by', 'requires'] AND out OR type = 'supports_goal' AND NOT out AS pursued,
      type IN ['has_task', 'achieved_by', 'requires'] AND NOT out OR type = 'supports_goal' AND out AS pursues,
      type = 'produces' AND NOT out OR type = 'produced_by' AND out AS made,
      type = 'produces' AND out OR type = 'produced_by' AND NOT out AS makes,
      type IN ['depends_on', 'requires'] AND out OR type = 'blocks' AND NOT out AS needs,
      type IN ['depends_on', 'requires'] AND NOT out OR type = 'blocks' AND out AS needed
    WITH m, needs, needed, n.entity_key = $focus AS focused,
      m:Task AND (n:Plan AND planned OR n:Goal AND pursued OR n:Output AND made) AS isTask,
      m:Plan AND plans AS isPlan,
      m:Goal AND (n:Task AND pursues OR n:Output AND made) AS isGoal,
      m:Output AND makes AS isOutput
    ORDER BY m.entity_key
    LIMIT 100000
    RETURN [
        count(DISTINCT CASE WHEN isTask THEN m END),
        count(DISTINCT CASE WHEN isTask AND m.state_key = 'done' THEN m END),
        count(DISTINCT CASE WHEN isPlan THEN m END),
        count(DISTINCT CASE WHEN isGoal THEN m END),
        count(DISTINCT CASE WHEN isOutput THEN m END),
        count(DISTINCT CASE WHEN needs THEN m END),
        count(DISTINCT CASE WHEN needed THEN m END)
      ] AS counts,
      [
        collect(DISTINCT CASE WHEN focused AND isPlan THEN m.entity_key END)[..3],
        collect(DISTINCT CASE WHEN focused AND isGoal THEN m.entity_key END)[..3],
        collect(DISTINCT CASE WHEN focused AND isOutput THEN m.entity_key END)[..3],
        collect(DISTINCT CASE WHEN focused AND needs THEN m.entity_key END)[..3],
        collect(DISTINCT CASE WHEN focused AND needed THEN m.entity_key END)[..3],
        collect(DISTINCT CASE WHEN focused AND isTask THEN m.entity_key END)[..3]
      ] AS first
  }
  RETURN collect([n.entity_key, counts, first]) AS derived
}
CALL () {
  UNWIND $picture AS key
  MATCH (n:Memory {team_id: $team_id, entity_key: key})
  USING INDEX SEEK n:Memory(team_id, entity_key)
  WHERE n.user_id IS NULL OR n.user_id = $user_id
  CALL (n) {
    MATCH (n)-[r]-(m)
    WHERE r.user_id IS NULL
      OR r.user_id = $user_id
    WITH r, m
    LIMIT $walk
    WHERE m.team_id = $team_id
      AND m.project_id = $project_id
      AND (m.user_id IS NULL OR m.user_id = $user_id)
      AND m.workspace_counted IS NOT NULL
      AND coalesce(r.valid_to > $now, true)
      AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
    RETURN r, m, any(label IN labels(m) WHERE label IN $open) AND NOT m.entity_key IN $picture AS further
  }
  WITH collect([r.key, coalesce(r.type_word, type(r)), startNode(r).entity_key, endNode(r).entity_key]) AS edges,
    collect(DISTINCT CASE WHEN further THEN m END) AS others
  CALL (others) {
    UNWIND others AS o
    WITH o, [label IN labels(o) WHERE label <> 'Memory'][0] AS kind
    ORDER BY o.workspace_rank, o.entity_key
    WITH kind, collect(o)[..10] AS best
    WITH collect(best) AS bests
    WITH reduce(all = [], best IN bests | all + best) AS best
    UNWIND best AS o
    CALL (o, best) {
      MATCH (o)-[r]-(m)
      WHERE r.user_id IS NULL
        OR r.user_id = $user_id
      WITH r, m, best
      LIMIT $walk
      WHERE coalesce(r.valid_to > $now, true)
        AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
        AND m IN best
      RETURN collect([r.key, coalesce(r.type_word, type(r)), startNode(r).entity_key, endNode(r).entity_key]) AS links
    }
    RETURN collect([labels(o), o.entity_key, o.name, o.state_key, o.type_key, o.updated_at, o.workspace_rank, o.workspace_links, links, o.trust, o.origin]) AS further
  }
  RETURN edges, further
}
RETURN derived, edges, further
LIMIT 1
