package workspace

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"kith/graph"
	"kith/graph/neo"
	"kith/internal/fault"
)

// workspaceModel computes a workspace from everything that a team has.
type workspaceModel struct {
	now   time.Time
	user  string
	nodes map[string]placedNode
	edges []placedEdge
}

type placedNode struct {
	kind string
	graph.Properties
}

type placedEdge struct{ key, kind, from, to string }

func (e *env) workspaceModel(user string) *workspaceModel {
	m := &workspaceModel{now: e.Now, user: user, nodes: map[string]placedNode{}}
	for _, row := range e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.entity_key IS NOT NULL RETURN labels(n), [name IN keys(n) | [name, n[name]]]`) {
		n := placedNode{kind: graph.KindOfLabel(graph.KindLabel(neo.List(row[0]))).Name}
		if err := n.DecodeNeo(row[1]); err != nil {
			e.Fatal(err)
		}
		owner := n.Text("user_id")
		scratch := n.kind == "document" && (n.Text("type_key") == "document.scratch" || n.Text("type_key") == "workspace.note")
		if (owner == "" || owner == user) && !scratch {
			m.nodes[n.Text("entity_key")] = n
		}
	}
	for _, row := range e.Raw(`MATCH (a:Memory {team_id: $team})-[r]->(b:Memory) WHERE a.entity_key IS NOT NULL
		RETURN r.key, type(r), a.entity_key, b.entity_key, [name IN keys(r) | [name, r[name]]]`) {
		edge := placedEdge{neo.Text(row[0]), neo.Text(row[1]), neo.Text(row[2]), neo.Text(row[3])}
		var p graph.Properties
		if err := p.DecodeNeo(row[4]); err != nil {
			e.Fatal(err)
		}
		_, from := m.nodes[edge.from]
		_, to := m.nodes[edge.to]
		if from && to && p.ValidAt(m.now) {
			m.edges = append(m.edges, edge)
		}
	}
	return m
}

// of returns the keys of a project's nodes of a kind, and whether they are linked with it.
func (m *workspaceModel) of(project, kind string) map[string]bool {
	all := map[string]bool{}
	for key, n := range m.nodes {
		if n.kind == kind && n.Text("project_id") == project {
			all[key] = slices.ContainsFunc(m.edges, func(e placedEdge) bool {
				return e.from == key && e.to == project || e.to == key && e.from == project
			})
		}
	}
	return all
}

func (m *workspaceModel) counts(project string) map[string]Counts {
	all := map[string]Counts{}
	for _, kind := range graph.WorkspaceKinds {
		var c Counts
		for key, direct := range m.of(project, kind) {
			c.Total++
			if direct {
				c.Direct++
			}
			if m.listed(kind, m.nodes[key], direct) {
				c.Listed++
			}
		}
		if c.Total > 0 {
			all[kind] = c
		}
	}
	return all
}

func (m *workspaceModel) listed(kind string, n placedNode, direct bool) bool {
	state := n.Text("state_key")
	switch kind {
	case "goal", "document", "output":
		return true
	case "task":
		return state != "done" && state != "blocked"
	case "risk":
		return direct && state != "mitigated" && state != "closed"
	}
	return direct
}

func (m *workspaceModel) time(key string, names ...string) time.Time {
	for _, name := range append(names, "created_at") {
		if t := m.nodes[key].Moment(name); t != nil {
			return *t
		}
	}
	return time.Time{}
}

// shown returns the keys of a list in order.
func (m *workspaceModel) shown(project, kind string) []string {
	var keys []string
	for key, direct := range m.of(project, kind) {
		if m.listed(kind, m.nodes[key], direct) {
			keys = append(keys, key)
		}
	}
	newest := func(names ...string) func(a, b string) int {
		return func(a, b string) int {
			return cmp.Or(m.time(b, names...).Compare(m.time(a, names...)), cmp.Compare(a, b))
		}
	}
	order := map[string]func(a, b string) int{
		"goal": newest("updated_at"), "document": newest("updated_at"), "output": newest("updated_at"), "plan": newest("updated_at"),
		"decision": newest("decision_at"), "risk": newest(), "requirement": newest(), "insight": newest(), "signal": newest("ts"),
		"milestone": func(a, b string) int {
			return cmp.Or(m.time(a, "due_at").Compare(m.time(b, "due_at")), cmp.Compare(a, b))
		},
	}
	slices.SortFunc(keys, order[kind])
	return keys
}

func (m *workspaceModel) tasks(project string) (recent, upcoming []string, recents, upcomings int) {
	var open []string
	for key := range m.of(project, "task") {
		if m.listed("task", m.nodes[key], false) {
			open = append(open, key)
		}
	}
	week := m.now.Add(7 * 24 * time.Hour)
	soon := func(key string) *time.Time {
		var first *time.Time
		for _, name := range []string{"start_at", "due_at"} {
			if t := m.nodes[key].Moment(name); t != nil && !t.Before(m.now) && !t.After(week) && (first == nil || t.Before(*first)) {
				first = t
			}
		}
		return first
	}
	newest := func(a, b string) int {
		return cmp.Or(m.time(b, "updated_at").Compare(m.time(a, "updated_at")), cmp.Compare(a, b))
	}
	slices.SortFunc(open, newest)
	for _, key := range open {
		if !m.time(key, "updated_at").Before(m.now.Add(-7 * 24 * time.Hour)) {
			recent = append(recent, key)
		}
	}
	recents = len(recent)
	recent = recent[:min(10, len(recent))]
	for _, key := range open {
		if soon(key) != nil && !slices.Contains(recent, key) {
			upcoming = append(upcoming, key)
		}
	}
	slices.SortStableFunc(upcoming, func(a, b string) int { return soon(a).Compare(*soon(b)) })
	return recent, upcoming[:min(5, len(upcoming))], recents, len(upcoming)
}

func (m *workspaceModel) score(key string) (score int64) {
	n := m.nodes[key]
	state := n.Text("state_key")
	points := map[string]int64{"task/blocked": 50, "task/in_progress": 20, "risk/identified": 10, "goal/active": 20, "output/review": 25}
	score = points[n.kind+"/"+state]
	switch n.kind {
	case "task":
		if p, ok := n.Properties["priority"].(int64); ok && p <= 2 {
			score += 30
		}
		if n.Properties["due_at"] != nil {
			score += 15
		}
	case "risk":
		score += map[string]int64{"critical": 40, "high": 30}[n.Text("impact")]
	case "goal":
		if n.Properties["target_date"] != nil {
			score += 10
		}
	case "output":
		if state != "" && state != "published" {
			score += 15
		}
	}
	return score
}

// picture walks the workspace, breadth first.
func (m *workspaceModel) picture(project string) (nodes, edges []string) {
	in, kinds := map[string]bool{project: true}, map[string]int{}
	nodes = []string{project}
	known := func(key string) bool {
		return key == project || m.nodes[key].Text("project_id") == project && m.nodes[key].kind != "project"
	}
	frontier := []string{project}
	for range 2 {
		found := map[string]bool{}
		for _, e := range m.edges {
			for _, ends := range [][2]string{{e.from, e.to}, {e.to, e.from}} {
				if slices.Contains(frontier, ends[0]) && known(ends[1]) && !in[ends[1]] {
					found[ends[1]] = true
				}
			}
		}
		frontier = nil
		order := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
			return cmp.Or(cmp.Compare(m.score(b), m.score(a)), cmp.Compare(a, b))
		})
		for _, key := range order {
			if kind := m.nodes[key].kind; len(nodes) < 60 && kinds[kind] < 10 {
				in[key] = true
				kinds[kind]++
				nodes, frontier = append(nodes, key), append(frontier, key)
			}
		}
	}
	var all []placedEdge
	for _, e := range m.edges {
		if in[e.from] && in[e.to] {
			all = append(all, e)
		}
	}
	both := func(e placedEdge) int64 { return m.score(e.from) + m.score(e.to) }
	slices.SortFunc(all, func(a, b placedEdge) int { return cmp.Or(cmp.Compare(both(b), both(a)), cmp.Compare(a.key, b.key)) })
	for _, e := range all[:min(80, len(all))] {
		edges = append(edges, e.key)
	}
	return nodes, edges
}

// linked counts distinct nodes of a kind that a node is linked with by some types: > leads away from it, < to it.
func (m *workspaceModel) linked(project, key, kind string, when func(placedNode) bool, types ...string) int64 {
	found := map[string]bool{}
	for _, e := range m.edges {
		other, direction := e.to, ">"
		if e.to == key {
			other, direction = e.from, "<"
		} else if e.from != key {
			continue
		}
		n := m.nodes[other]
		if (kind == "" || n.kind == kind) && n.Text("project_id") == project && slices.Contains(types, direction+e.kind) && (when == nil || when(n)) {
			found[other] = true
		}
	}
	return int64(len(found))
}

func (m *workspaceModel) links(project, key string) Links {
	below := map[string][]string{
		"goal": {">has_task", ">achieved_by", ">requires", "<supports_goal"},
		"plan": {">has_task", "<belongs_to_plan"},
	}[m.nodes[key].kind]
	made := []string{"<produces", ">produced_by"}
	l := Links{
		Dependencies: m.linked(project, key, "", nil, ">depends_on", ">requires", "<blocks"),
		Dependents:   m.linked(project, key, "", nil, "<depends_on", "<requires", ">blocks"),
	}
	done := func(n placedNode) bool { return n.Text("state_key") == "done" }
	switch m.nodes[key].kind {
	case "goal", "plan":
		l.Tasks, l.Done = m.linked(project, key, "task", nil, below...), m.linked(project, key, "task", done, below...)
	case "output":
		l.Tasks, l.Goals = m.linked(project, key, "task", nil, made...), m.linked(project, key, "goal", nil, made...)
	case "task":
		l.Plans = m.linked(project, key, "plan", nil, "<has_task", ">belongs_to_plan")
		l.Goals = m.linked(project, key, "goal", nil, "<has_task", ">supports_goal", "<achieved_by", "<requires")
		l.Outputs = m.linked(project, key, "output", nil, ">produces", "<produced_by")
	}
	return l
}

// level returns how many incoming relationships lead up to a project; nil: more than five.
func (m *workspaceModel) level(project, key string) *int {
	up := map[string]bool{key: true}
	for level := 1; level <= 5; level++ {
		next := map[string]bool{}
		for _, e := range m.edges {
			if up[e.to] && e.from == project {
				return &level
			}
			if up[e.to] && m.nodes[e.from].Text("project_id") == project {
				next[e.from] = true
			}
		}
		up = next
	}
	return nil
}

func keysOfItems(shown []Item) []string {
	var keys []string
	for i := range shown {
		keys = append(keys, shown[i].EntityKey)
	}
	return keys
}

// wantWorkspace compares the store's view of a project with the model.
func (e *env) wantWorkspace(user, project string) {
	e.Helper()
	m := e.workspaceModel(user)
	got, err := e.projects.WorkspaceOf(e.Context(), e.As(user), project)
	if _, there := m.nodes[project]; !there {
		if !errors.Is(err, fault.ErrNotFound) {
			e.Fatalf("a project that is not there: %v", err)
		}
		return
	}
	if err != nil {
		e.Fatal(err)
	}
	maps.DeleteFunc(got.Counts, func(_ string, c Counts) bool { return c == Counts{} })
	e.Same("counts for "+user, m.counts(project), got.Counts)
	for kind := range workspaceShown {
		want := m.shown(project, kind)
		e.Same("shown "+kind, want[:min(workspaceShown[kind].most, len(want))], keysOfItems(got.Shown[kind]))
	}
	recent, upcoming, recents, upcomings := m.tasks(project)
	e.Same("recent tasks", recent, keysOfItems(got.Recent))
	e.Same("upcoming tasks", upcoming, keysOfItems(got.Upcoming))
	e.Same("totals of tasks", []int{recents, upcomings}, []int{int(got.RecentTotal), int(got.UpcomingTotal)})
	nodes, edges := m.picture(project)
	for _, n := range got.Nodes {
		if n.Key != project && n.Score != m.score(n.Key) {
			e.Errorf("%s has the score %d, not %d: %v", n.Key, n.Score, m.score(n.Key), m.nodes[n.Key])
		}
	}
	var gotNodes, gotEdges []string
	for _, n := range got.Nodes {
		gotNodes = append(gotNodes, n.Key)
	}
	for _, edge := range got.Edges {
		gotEdges = append(gotEdges, edge.Key)
	}
	e.Same("nodes of the picture", nodes, gotNodes)
	e.Same("edges of the picture", edges, gotEdges)
	for _, edge := range got.Linked {
		if !slices.ContainsFunc(m.edges, func(e placedEdge) bool { return e.key == edge.Key && (e.from == project || e.to == project) }) {
			e.Errorf("linked with the project by %s %s %s, which does not hold", edge.From, edge.Type, edge.To)
		}
	}
	for _, items := range got.Shown {
		for i := range items {
			e.Same("name of "+items[i].EntityKey, m.nodes[items[i].EntityKey].Text("name"), items[i].Name)
		}
	}
	for _, shown := range [][]Item{got.Shown["goal"], got.Shown["plan"], got.Shown["output"], got.Recent, got.Upcoming} {
		for i := range shown {
			e.Same("links of "+shown[i].EntityKey, m.links(project, shown[i].EntityKey), shown[i].Links)
		}
	}
}

// wantFocus compares what the store's view of a node in focus has of its project with the model.
func (e *env) wantFocus(user, project, kind, key string) {
	e.Helper()
	m := e.workspaceModel(user)
	k, _ := graph.KindOf(kind)
	got, err := e.projects.Focus(e.Context(), e.As(user), k, key)
	if err != nil {
		e.Fatal(err)
	}
	e.Same("links of the focus "+key, m.links(project, key), got.Links)
	e.Same("level of the focus "+key, m.level(project, key), got.Level)
	e.Same("whether the focus "+key+" is linked with the project", m.of(project, kind)[key], got.Direct)
	var want, edges []string
	for _, edge := range m.edges {
		if edge.from == key {
			want = append(want, edge.kind+" "+edge.to)
		} else if edge.to == key {
			want = append(want, edge.from+" "+edge.kind)
		}
	}
	for _, end := range got.Edges {
		if end.Outgoing {
			edges = append(edges, end.Type+" "+end.Node.EntityKey)
		} else {
			edges = append(edges, end.Node.EntityKey+" "+end.Type)
		}
	}
	slices.Sort(want)
	slices.Sort(edges)
	e.Same("relationships of the focus "+key, want, edges)
	whole, wholeErr := e.projects.WorkspaceOf(e.Context(), e.As(user), project)
	with, focus, err := e.projects.WorkspaceWith(e.Context(), e.As(user), project, k, key)
	e.Same("the workspace with the focus "+key, []any{whole, got, wholeErr}, []any{with, focus, err})
}

// wantWorkspaces compares the store's view of all projects with the model.
func (e *env) wantWorkspaces(user string) {
	e.Helper()
	m := e.workspaceModel(user)
	var projects []string
	want := map[string]Counts{}
	for key, n := range m.nodes {
		if n.kind != "project" {
			continue
		}
		projects = append(projects, key)
		for kind, c := range m.counts(key) {
			want[kind] = Counts{Total: want[kind].Total + c.Total}
		}
	}
	slices.SortFunc(projects, func(a, b string) int {
		return cmp.Or(m.time(b, "updated_at").Compare(m.time(a, "updated_at")), cmp.Compare(a, b))
	})
	got, err := e.projects.Workspaces(e.Context(), e.As(user))
	if err != nil {
		e.Fatal(err)
	}
	var keys []string
	for i := range got.Projects {
		keys = append(keys, got.Projects[i].EntityKey)
	}
	maps.DeleteFunc(got.Counts, func(_ string, c Counts) bool { return c == Counts{} })
	e.Same("projects", projects, keys)
	e.Same("how many projects", len(projects), int(got.Total))
	e.Same("counts of all projects", want, got.Counts)
}
