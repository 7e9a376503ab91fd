package graph

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"kith/neo"

	"pgregory.net/rapid"
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
	Properties
}

type placedEdge struct{ key, kind, from, to string }

func (e *env) workspaceModel(user string) *workspaceModel {
	m := &workspaceModel{now: e.now, user: user, nodes: map[string]placedNode{}}
	for _, row := range e.raw(`MATCH (n:Memory {team_id: $team}) RETURN labels(n), [name IN keys(n) | [name, n[name]]]`) {
		n := placedNode{kind: kindFrom(row[0]).Name}
		if err := n.DecodeNeo(row[1]); err != nil {
			e.Fatal(err)
		}
		owner := n.text("user_id")
		scratch := n.kind == "document" && (n.text("type_key") == "document.scratch" || n.text("type_key") == "workspace.note")
		if (owner == "" || owner == user) && !scratch {
			m.nodes[n.text("entity_key")] = n
		}
	}
	for _, row := range e.raw(`MATCH (a:Memory {team_id: $team})-[r]->(b:Memory) WHERE r.valid_to IS NULL RETURN r.key, type(r), a.entity_key, b.entity_key`) {
		edge := placedEdge{neo.Text(row[0]), neo.Text(row[1]), neo.Text(row[2]), neo.Text(row[3])}
		_, from := m.nodes[edge.from]
		_, to := m.nodes[edge.to]
		if from && to {
			m.edges = append(m.edges, edge)
		}
	}
	return m
}

// of returns the keys of a project's nodes of a kind, and whether they are linked with it.
func (m *workspaceModel) of(project, kind string) map[string]bool {
	all := map[string]bool{}
	for key, n := range m.nodes {
		if n.kind == kind && n.text("project_id") == project {
			all[key] = slices.ContainsFunc(m.edges, func(e placedEdge) bool {
				return e.from == key && e.to == project || e.to == key && e.from == project
			})
		}
	}
	return all
}

func (m *workspaceModel) counts(project string) map[string]WorkspaceCounts {
	all := map[string]WorkspaceCounts{}
	for _, kind := range WorkspaceKinds {
		var c WorkspaceCounts
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
	state := n.text("state_key")
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
		if t := m.nodes[key].moment(name); t != nil {
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
			if t := m.nodes[key].moment(name); t != nil && !t.Before(m.now) && !t.After(week) && (first == nil || t.Before(*first)) {
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
	state := n.text("state_key")
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
		score += map[string]int64{"critical": 40, "high": 30}[n.text("impact")]
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
		return key == project || m.nodes[key].text("project_id") == project && m.nodes[key].kind != "project"
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
		if (kind == "" || n.kind == kind) && n.text("project_id") == project && slices.Contains(types, direction+e.kind) && (when == nil || when(n)) {
			found[other] = true
		}
	}
	return int64(len(found))
}

func (m *workspaceModel) links(project, key string) WorkspaceLinks {
	below := map[string][]string{
		"goal": {">has_task", ">achieved_by", ">requires", "<supports_goal"},
		"plan": {">has_task", "<belongs_to_plan"},
	}[m.nodes[key].kind]
	made := []string{"<produces", ">produced_by"}
	l := WorkspaceLinks{
		Dependencies: m.linked(project, key, "", nil, ">depends_on", ">requires", "<blocks"),
		Dependents:   m.linked(project, key, "", nil, "<depends_on", "<requires", ">blocks"),
	}
	done := func(n placedNode) bool { return n.text("state_key") == "done" }
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

func keysOfItems(shown []WorkspaceItem) []string {
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
	got, err := e.store.WorkspaceOf(e.Context(), e.as(user), project)
	if _, there := m.nodes[project]; !there {
		if !errors.Is(err, ErrNotFound) {
			e.Fatalf("a project that is not there: %v", err)
		}
		return
	}
	if err != nil {
		e.Fatal(err)
	}
	maps.DeleteFunc(got.Counts, func(_ string, c WorkspaceCounts) bool { return c == WorkspaceCounts{} })
	e.same("counts for "+user, m.counts(project), got.Counts)
	for kind := range workspaceShown {
		want := m.shown(project, kind)
		e.same("shown "+kind, want[:min(workspaceShown[kind].most, len(want))], keysOfItems(got.Shown[kind]))
	}
	recent, upcoming, recents, upcomings := m.tasks(project)
	e.same("recent tasks", recent, keysOfItems(got.Recent))
	e.same("upcoming tasks", upcoming, keysOfItems(got.Upcoming))
	e.same("totals of tasks", []int{recents, upcomings}, []int{int(got.RecentTotal), int(got.UpcomingTotal)})
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
	e.same("nodes of the picture", nodes, gotNodes)
	e.same("edges of the picture", edges, gotEdges)
	for _, shown := range [][]WorkspaceItem{got.Shown["goal"], got.Shown["plan"], got.Shown["output"], got.Recent, got.Upcoming} {
		for i := range shown {
			e.same("links of "+shown[i].EntityKey, m.links(project, shown[i].EntityKey), shown[i].Links)
		}
	}
}

// wantWorkspaces compares the store's view of all projects with the model.
func (e *env) wantWorkspaces(user string) {
	e.Helper()
	m := e.workspaceModel(user)
	var projects []string
	want := map[string]WorkspaceCounts{}
	for key, n := range m.nodes {
		if n.kind != "project" {
			continue
		}
		projects = append(projects, key)
		for kind, c := range m.counts(key) {
			want[kind] = WorkspaceCounts{Total: want[kind].Total + c.Total}
		}
	}
	slices.SortFunc(projects, func(a, b string) int {
		return cmp.Or(m.time(b, "updated_at").Compare(m.time(a, "updated_at")), cmp.Compare(a, b))
	})
	got, err := e.store.Workspaces(e.Context(), e.as(user))
	if err != nil {
		e.Fatal(err)
	}
	var keys []string
	for i := range got.Projects {
		keys = append(keys, got.Projects[i].EntityKey)
	}
	maps.DeleteFunc(got.Counts, func(_ string, c WorkspaceCounts) bool { return c == WorkspaceCounts{} })
	e.same("projects", projects, keys)
	e.same("how many projects", len(projects), int(got.Total))
	e.same("counts of all projects", want, got.Counts)
}

// TestWorkspaceEqualsModel makes random changes to random workspaces, and compares the views of the store with the
// model.
func TestWorkspaceEqualsModel(t *testing.T) {
	var mu sync.Mutex
	seen, asked := map[string]int{}, 0
	twice(t, func(r *rapid.T, e *env) {
		mu.Lock()
		asked++
		enough := asked > 40
		mu.Unlock()
		if enough { // each takes some hundred milliseconds
			return
		}
		users := []string{"u1", "u2"}
		projects := []string{"p1", "p2"}
		e.write("u1", []NodeWrite{node("project", "p1", 0.5, shared), node("project", "p2", 0.5)})
		key := rapid.Custom(func(r *rapid.T) [2]string {
			kind := rapid.SampledFrom(append(slices.Clone(WorkspaceKinds), "task", "task", "plan", "goal")).Draw(r, "kind")
			most := 2 // few, so that links find both their ends
			if kind == "task" {
				most = 12
			}
			return [2]string{kind, fmt.Sprintf("%s-%d", kind, rapid.IntRange(0, most).Draw(r, "number"))}
		})
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			e.now = e.now.Add(time.Duration(rapid.IntRange(0, 150).Draw(r, "hours")) * time.Hour)
			user := rapid.SampledFrom(users).Draw(r, "user")
			var nodes []NodeWrite
			var links []RelationshipWrite
			for range rapid.IntRange(5, 30).Draw(r, "nodes") {
				k := key.Draw(r, "key")
				if n := workspaceNode(r, k[0], k[1], projects, e.now); !slices.ContainsFunc(nodes, func(w NodeWrite) bool { return w.EntityKey == k[1] }) {
					nodes = append(nodes, n)
				}
			}
			for range rapid.IntRange(5, 40).Draw(r, "links") {
				from, to := key.Draw(r, "from")[1], key.Draw(r, "to")[1]
				kind := rapid.SampledFrom([]string{"has_task", "belongs_to_plan", "supports_goal", "achieved_by", "requires", "produces", "produced_by",
					"depends_on", "blocks", "relates_to"}).Draw(r, "type")
				if rapid.IntRange(0, 2).Draw(r, "direct") == 0 {
					from, kind = rapid.SampledFrom(projects).Draw(r, "project"), "relates_to"
					if rapid.Bool().Draw(r, "reversed") {
						from, to = to, from
					}
				}
				if from != to && !slices.ContainsFunc(links, func(w RelationshipWrite) bool { return w.From == from && w.To == to || w.From == to && w.To == from }) {
					links = append(links, link(from, kind, to, 0.5))
				}
			}
			e.try(user, nodes, links...)
			if rapid.IntRange(0, 3).Draw(r, "anew") == 0 { // a deleted project may be written again
				e.try("u1", []NodeWrite{node("project", "p1", 0.5, shared)})
			}
			for range rapid.IntRange(0, 3).Draw(r, "deletes") {
				e.disturb(r, user, append(projects, key.Draw(r, "gone")[1]))
			}
		}
		e.now = e.now.Add(time.Duration(rapid.IntRange(0, 12).Draw(r, "days")) * 24 * time.Hour)
		for _, user := range users {
			e.wantWorkspaces(user)
			for _, project := range projects {
				e.wantWorkspace(user, project)
			}
		}
		if e.Failed() {
			r.Fatal("the workspaces differ")
		}
		if w, err := e.store.WorkspaceOf(e.Context(), e.as("u1"), "p1"); err == nil {
			mu.Lock()
			defer mu.Unlock()
			for _, n := range w.Nodes {
				seen[fmt.Sprint("hops ", n.Hops)]++
			}
		}
	})
	t.Cleanup(func() {
		for _, what := range []string{"hops 1", "hops 2"} {
			if seen[what] == 0 {
				t.Errorf("no %s in all workspaces: %v", what, seen)
			}
		}
	})
}

func workspaceNode(r *rapid.T, kind, key string, projects []string, now time.Time) NodeWrite {
	day := func(name string) Optional[time.Time] {
		if rapid.Bool().Draw(r, name) {
			return Optional[time.Time]{}
		}
		return Some(now.Add(time.Duration(rapid.IntRange(-5, 20).Draw(r, name+" days")) * 12 * time.Hour))
	}
	n := NodeWrite{Kind: kind, EntityKey: key, Name: Some(key), OwnFields: &OwnFields{ProjectID: Some(rapid.SampledFrom(projects).Draw(r, "project"))}}
	if rapid.IntRange(0, 3).Draw(r, "shared") > 0 {
		n.UserID = Null[string]()
	}
	state := func(states ...string) Optional[string] { return Some(rapid.SampledFrom(states).Draw(r, "state")) }
	switch kind {
	case "task":
		n.StateKey, n.DueAt, n.StartAt, n.Priority = state("todo", "in_progress", "blocked", "done"), day("due"), day("start"),
			Some(int64(rapid.IntRange(1, 5).Draw(r, "priority")))
	case "risk":
		n.StateKey, n.Impact = state("identified", "mitigated", "closed"), Some(rapid.SampledFrom([]string{"low", "high", "critical"}).Draw(r, "impact"))
	case "goal":
		n.StateKey, n.TargetDate = state("draft", "active"), day("target")
	case "output":
		n.StateKey = state("draft", "review", "published")
	case "milestone":
		n.DueAt = day("due")
	case "decision":
		n.DecisionAt = day("decided")
	case "signal":
		n.TS = day("ts")
	case "document":
		n.TypeKey = Some(rapid.SampledFrom([]string{"document.brief", "document.scratch", "workspace.note"}).Draw(r, "type"))
	}
	return n
}

// disturb deletes a node or one of its relationships, and may restore it.
func (e *env) disturb(r *rapid.T, user string, keys []string) {
	key := rapid.SampledFrom(keys).Draw(r, "disturbed")
	name := map[bool]string{true: "project", false: ""}[key == "p1" || key == "p2"]
	if name == "" {
		name = key[:slices.Index([]byte(key), '-')]
	}
	kind, _ := KindOf(name)
	if rapid.Bool().Draw(r, "relationship") {
		page, err := e.store.Relationships(e.Context(), e.as(user), RelationshipList{Kind: kind, Key: key, Limit: 5})
		if err != nil || len(page.Relationships) == 0 {
			return
		}
		gone := page.Relationships[0].Key
		if _, err := e.store.DeleteRelationship(e.Context(), e.as(user), gone, 0); err == nil && rapid.Bool().Draw(r, "back") {
			_, _ = e.store.RestoreRelationship(e.Context(), e.as(user), gone)
		}
		return
	}
	if _, err := e.store.DeleteNode(e.Context(), e.as(user), kind, key, 0); err != nil {
		return
	}
	if rapid.IntRange(0, 3).Draw(r, "again") > 0 {
		e.now = e.now.Add(time.Hour)
		_, _ = e.store.RestoreNode(e.Context(), e.as(user), kind, key)
	}
}

// TestUpcomingTasks shows the tasks of the next seven days, earliest first, and none twice.
func TestUpcomingTasks(t *testing.T) {
	e := fresh(t)
	task := func(key, state string, start, due time.Duration) NodeWrite {
		n := node("task", key, 0.5, shared)
		n.OwnFields = &OwnFields{ProjectID: Some("p"), StateKey: Some(state)}
		if start != 0 {
			n.StartAt = Some(noon.Add(start))
		}
		if due != 0 {
			n.DueAt = Some(noon.Add(due))
		}
		return n
	}
	day := 24 * time.Hour
	e.write("u", []NodeWrite{
		node("project", "p", 0.5, shared),
		task("over", "todo", 0, 9*day), task("soon", "todo", 0, 11*day), task("starts", "todo", 10*day+time.Hour, 40*day),
		task("both", "in_progress", 13*day, 12*day), task("week", "todo", 0, 17*day), task("later", "todo", 0, 17*day+time.Second),
		task("blocked", "blocked", 0, 11*day), task("done", "done", 0, 11*day), task("six", "todo", 0, 14*day), task("seven", "todo", 0, 15*day),
	})
	e.now = noon.Add(10 * day)
	e.write("u", []NodeWrite{task("fresh", "todo", 0, 11*day)})
	w, err := e.store.WorkspaceOf(t.Context(), e.as("u"), "p")
	if err != nil {
		t.Fatal(err)
	}
	e.same("recent", []string{"fresh"}, keysOfItems(w.Recent))
	e.same("upcoming", []string{"starts", "soon", "both", "six", "seven"}, keysOfItems(w.Upcoming))
	e.same("totals", []int64{1, 6}, []int64{w.RecentTotal, w.UpcomingTotal})
}

// TestWorkspaceFocus shows how a node is connected with its project, and its links.
func TestWorkspaceFocus(t *testing.T) {
	e := fresh(t)
	in := func(kind, key string) NodeWrite {
		n := node(kind, key, 0.5, shared)
		n.OwnFields = &OwnFields{ProjectID: Some("p")}
		return n
	}
	nodes := []NodeWrite{node("project", "p", 0.5, shared), node("project", "q", 0.5, shared), in("goal", "g"), in("plan", "l"), in("task", "t"),
		in("task", "orphan")}
	links := []RelationshipWrite{link("p", "has_goal", "g", 0.5), link("g", "has_plan", "l", 0.5), link("l", "has_task", "t", 0.5),
		link("g", "relates_to", "t", 0.5)}
	for i := range 5 {
		key := fmt.Sprintf("o%d", i)
		nodes, links = append(nodes, in("output", key)), append(links, link("t", "produces", key, 0.5), link(key, "relates_to", "t", 0.5))
	}
	nodes[0].Description = Some("Make it bear ten tons")
	nodes[0].OwnFields = &OwnFields{StateKey: Some("active"), FacetStage: Some("execution"), NextStepShort: Some("Book the boat")}
	e.write("u", nodes, links...)
	kind, _ := KindOf("task")
	level := func(key, of string) *int {
		k, _ := KindOf(of)
		f, err := e.store.Focus(t.Context(), e.as("u"), k, key)
		if err != nil {
			t.Fatal(err)
		}
		return f.Level
	}
	one, two, none := 1, 2, (*int)(nil)
	e.same("levels", []*int{&one, &two, &two, none}, []*int{level("g", "goal"), level("l", "plan"), level("t", "task"), level("orphan", "task")})
	w, f, err := e.store.WorkspaceWith(t.Context(), e.as("u"), "p", kind, "t")
	if err != nil {
		t.Fatal(err)
	}
	e.same("project", []string{"p", "p"}, []string{w.Project.EntityKey, f.Project.EntityKey})
	e.same("columns of the project", []any{"Make it bear ten tons", nodes[0].OwnFields}, []any{f.Project.Description, f.Project.OwnFields})
	e.same("links", WorkspaceLinks{Plans: 1, Outputs: 5}, f.Links)
	e.same("first", []string{"o0", "o1", "o2"}, f.First["outputs"])
	e.same("relationships", 12, len(f.Edges))
	for _, c := range []struct{ project, key string }{{"q", "t"}, {"p", "nothing"}, {"nothing", "t"}} {
		if _, _, err := e.store.WorkspaceWith(t.Context(), e.as("u"), c.project, kind, c.key); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
