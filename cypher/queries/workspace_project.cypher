// Returns a project for an agent: its counts, the first nodes of each list, recent and upcoming tasks, the first nodes
// of its picture, and the nodes linked to the project itself. $lists names the lists as workspace_list and
// workspace_direct do, with how many nodes of each are requested and which properties, of texts only the beginning.
// $tasks are the lists of open tasks, $users the users whose counts are included.
// mode: read
// params: team_id, user_id, project_id, users, lists, tasks, fields, task_fields, project_fields, recent_at, from, to, now
// returns: project, counts, document, shown, recent, recents, upcoming, upcomings, picture, linked
MATCH (p:Memory {team_id: $team_id, entity_key: $project_id})
USING INDEX SEEK p:Memory(team_id, entity_key)
WHERE p:Project
  AND (p.user_id IS NULL OR p.user_id = $user_id)
CALL () {
  UNWIND $users AS user
  MATCH (w:Workspace {team_id: $team_id, user_id: user, project_id: $project_id})
  USING INDEX SEEK w:Workspace(team_id, user_id, project_id)
  RETURN collect([name IN keys(w) WHERE NOT name IN ['team_id', 'user_id', 'project_id'] | [name, w[name]]]) AS counts
}
CALL (p) {
  MATCH (p)-[r:has_context_document]->(d:Document)
  WHERE d.team_id = $team_id
    AND d.project_id = $project_id
    AND (d.user_id IS NULL OR d.user_id = $user_id)
    AND d.workspace_counted IS NOT NULL
    AND coalesce(r.valid_to > $now, true)
    AND (coalesce(r.valid_from <= $now, true) OR r.start_unknown)
  WITH d
  ORDER BY r.key
  LIMIT 1
  RETURN collect([d.entity_key, d.name, d.trust, d.origin]) AS document
}
CALL () {
  UNWIND $lists AS l
  CALL (l) {
    MATCH (n:Memory {team_id: $team_id, project_id: $project_id, workspace_list: l.list})
    USING INDEX SEEK n:Memory(team_id, project_id, workspace_list, workspace_at, entity_key)
    WHERE n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.project_id, n.workspace_list, n.workspace_at, n.entity_key
    LIMIT 10
    RETURN collect(n) AS nodes
  }
  RETURN collect([n IN nodes[..l.limit] | [l.kind, n.workspace_at, [field IN $fields + l.fields | [field, n[field]]], [field IN l.texts | [field, left(ltrim(n[field]), 1000)]]]]) AS shown
}
CALL () {
  UNWIND $tasks AS list
  CALL (list) {
    MATCH (n:Memory {team_id: $team_id, project_id: $project_id, workspace_list: list})
    USING INDEX SEEK n:Memory(team_id, project_id, workspace_list, workspace_at, entity_key)
    WHERE n.workspace_at <= $recent_at
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.project_id, n.workspace_list, n.workspace_at, n.entity_key
    LIMIT 10
    RETURN collect(n) AS nodes
  }
  RETURN collect([n IN nodes | ['task', n.workspace_at, [field IN $task_fields | [field, n[field]]], []]]) AS recent
}
CALL () {
  UNWIND $tasks AS list
  MATCH (n:Memory {team_id: $team_id, project_id: $project_id, workspace_list: list})
  USING INDEX SEEK n:Memory(team_id, project_id, workspace_list, workspace_at, entity_key)
  WHERE n.workspace_at <= $recent_at
    AND n.entity_key IS NOT NULL
  RETURN count(*) AS recents
}
CALL () {
  UNWIND $tasks AS list
  CALL (list) {
    MATCH (n:Task {team_id: $team_id, project_id: $project_id, workspace_list: list})
    USING INDEX SEEK n:Task(team_id, project_id, workspace_list, due_at, workspace_at, entity_key)
    WHERE n.due_at >= $from
      AND n.due_at <= $to
      AND n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.project_id, n.workspace_list, n.due_at, n.workspace_at, n.entity_key
    LIMIT 15
    RETURN n
  UNION
    MATCH (n:Task {team_id: $team_id, project_id: $project_id, workspace_list: list})
    USING INDEX SEEK n:Task(team_id, project_id, workspace_list, start_at, workspace_at, entity_key)
    WHERE n.start_at >= $from
      AND n.start_at <= $to
      AND n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.project_id, n.workspace_list, n.start_at, n.workspace_at, n.entity_key
    LIMIT 15
    RETURN n
  }
  RETURN collect(['task', n.workspace_at, [field IN $task_fields | [field, n[field]]], []]) AS upcoming
}
CALL () {
  UNWIND $tasks AS list
  CALL (list) {
    MATCH (n:Task {team_id: $team_id, project_id: $project_id, workspace_list: list})
    USING INDEX SEEK n:Task(team_id, project_id, workspace_list, due_at, workspace_at, entity_key)
    WHERE n.due_at >= $from
      AND n.due_at <= $to
      AND n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
    RETURN count(*) AS days
  UNION ALL
    MATCH (n:Task {team_id: $team_id, project_id: $project_id, workspace_list: list})
    USING INDEX SEEK n:Task(team_id, project_id, workspace_list, start_at, workspace_at, entity_key)
    WHERE n.start_at >= $from
      AND n.start_at <= $to
      AND n.workspace_at IS NOT NULL
      AND n.entity_key IS NOT NULL
      AND NOT coalesce(n.due_at >= $from AND n.due_at <= $to, false)
    RETURN count(*) AS days
  }
  RETURN sum(days) AS upcomings
}
CALL () {
  UNWIND $lists AS l
  CALL (l) {
    MATCH (n:Memory {team_id: $team_id, project_id: $project_id, workspace_direct: l.list})
    USING INDEX SEEK n:Memory(team_id, project_id, workspace_direct, workspace_rank, entity_key)
    WHERE n.workspace_rank IS NOT NULL
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.project_id, n.workspace_direct, n.workspace_rank, n.entity_key
    LIMIT 10
    RETURN collect([l.kind, n.entity_key, n.name, n.state_key, n.type_key, n.updated_at, n.workspace_rank, n.workspace_links, n.trust, n.origin]) AS nodes
  }
  RETURN collect(nodes) AS picture
}
CALL () {
  UNWIND $lists AS l
  CALL (l) {
    MATCH (n:Memory {team_id: $team_id, project_id: $project_id, workspace_direct: l.list})
    USING INDEX SEEK n:Memory(team_id, project_id, workspace_direct, workspace_rank, entity_key)
    WHERE n.workspace_rank IS NOT NULL
      AND n.entity_key IS NOT NULL
    WITH n
    ORDER BY n.team_id, n.project_id, n.workspace_direct, n.workspace_rank, n.entity_key
    LIMIT 50
    RETURN n
  }
  WITH n, l
  ORDER BY n.workspace_rank, n.entity_key
  LIMIT 50
  RETURN collect([l.kind, n.entity_key, n.name, n.workspace_links, n.trust, n.origin]) AS linked
}
RETURN [field IN $project_fields | [field, p[field]]] AS project,
  counts, document, shown, recent, recents, upcoming, upcomings, picture, linked
LIMIT 1
