package workspace

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"

	"pgregory.net/rapid"
)

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
		e.Write("u1", []graph.NodeWrite{node("project", "p1", 0.5, shared), node("project", "p2", 0.5)})
		key := rapid.Custom(func(r *rapid.T) [2]string {
			kind := rapid.SampledFrom(append(slices.Clone(graph.WorkspaceKinds), "task", "task", "plan", "goal")).Draw(r, "kind")
			most := 2 // few, so that links find both their ends
			if kind == "task" {
				most = 12
			}
			return [2]string{kind, fmt.Sprintf("%s-%d", kind, rapid.IntRange(0, most).Draw(r, "number"))}
		})
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			e.Now = e.Now.Add(time.Duration(rapid.IntRange(0, 150).Draw(r, "hours")) * time.Hour)
			user := rapid.SampledFrom(users).Draw(r, "user")
			var nodes []graph.NodeWrite
			var links []graph.RelationshipWrite
			for range rapid.IntRange(5, 30).Draw(r, "nodes") {
				k := key.Draw(r, "key")
				if n := workspaceNode(r, k[0], k[1], projects, e.Now); !slices.ContainsFunc(nodes, func(w graph.NodeWrite) bool { return w.EntityKey == k[1] }) {
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
				if from != to && !slices.ContainsFunc(links, func(w graph.RelationshipWrite) bool {
					return w.From == from && w.To == to || w.From == to && w.To == from
				}) {
					links = append(links, link(from, kind, to, 0.5))
				}
			}
			e.Try(user, nodes, links...)
			if rapid.IntRange(0, 3).Draw(r, "anew") == 0 { // a deleted project may be written again
				e.Try("u1", []graph.NodeWrite{node("project", "p1", 0.5, shared)})
			}
			for range rapid.IntRange(0, 3).Draw(r, "deletes") {
				e.disturb(r, user, append(projects, key.Draw(r, "gone")[1]))
			}
		}
		e.Now = e.Now.Add(time.Duration(rapid.IntRange(0, 12).Draw(r, "days")) * 24 * time.Hour)
		for _, user := range users {
			e.wantWorkspaces(user)
			for _, project := range projects {
				e.wantWorkspace(user, project)
			}
		}
		if e.Failed() {
			r.Fatal("the workspaces differ")
		}
		if w, err := e.projects.WorkspaceOf(e.Context(), e.As("u1"), "p1"); err == nil {
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

func workspaceNode(r *rapid.T, kind, key string, projects []string, now time.Time) graph.NodeWrite {
	day := func(name string) graph.Optional[time.Time] {
		if rapid.Bool().Draw(r, name) {
			return graph.Optional[time.Time]{}
		}
		return graph.Some(now.Add(time.Duration(rapid.IntRange(-5, 20).Draw(r, name+" days")) * 12 * time.Hour))
	}
	n := graph.NodeWrite{Kind: kind, EntityKey: key, Name: graph.Some(key), OwnFields: &graph.OwnFields{ProjectID: graph.Some(rapid.SampledFrom(projects).Draw(r, "project"))}}
	if rapid.IntRange(0, 3).Draw(r, "shared") > 0 {
		n.UserID = graph.Null[string]()
	}
	state := func(states ...string) graph.Optional[string] {
		return graph.Some(rapid.SampledFrom(states).Draw(r, "state"))
	}
	switch kind {
	case "task":
		n.StateKey, n.DueAt, n.StartAt, n.Priority = state("todo", "in_progress", "blocked", "done"), day("due"), day("start"),
			graph.Some(int64(rapid.IntRange(1, 5).Draw(r, "priority")))
	case "risk":
		n.StateKey, n.Impact = state("identified", "mitigated", "closed"), graph.Some(rapid.SampledFrom([]string{"low", "high", "critical"}).Draw(r, "impact"))
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
		n.TypeKey = graph.Some(rapid.SampledFrom([]string{"document.brief", "document.scratch", "workspace.note"}).Draw(r, "type"))
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
	kind, _ := graph.KindOf(name)
	if rapid.Bool().Draw(r, "relationship") {
		page, err := e.Store.Relationships(e.Context(), e.As(user), graph.RelationshipList{Kind: kind, Key: key, Limit: 5})
		if err != nil || len(page.Relationships) == 0 {
			return
		}
		gone := page.Relationships[0].Key
		if _, err := e.Store.DeleteRelationship(e.Context(), e.As(user), gone, 0); err == nil && rapid.Bool().Draw(r, "back") {
			_, _ = e.Store.RestoreRelationship(e.Context(), e.As(user), gone)
		}
		return
	}
	if _, err := e.Store.DeleteNode(e.Context(), e.As(user), kind, key, 0); err != nil {
		return
	}
	if rapid.IntRange(0, 3).Draw(r, "again") > 0 {
		e.Now = e.Now.Add(time.Hour)
		_, _ = e.Store.RestoreNode(e.Context(), e.As(user), kind, key)
	}
}

// TestUpcomingTasks shows the tasks of the next seven days, earliest first, and none twice.
func TestUpcomingTasks(t *testing.T) {
	e := fresh(t)
	task := func(key, state string, start, due time.Duration) graph.NodeWrite {
		n := node("task", key, 0.5, shared)
		n.OwnFields = &graph.OwnFields{ProjectID: graph.Some("p"), StateKey: graph.Some(state)}
		if start != 0 {
			n.StartAt = graph.Some(noon.Add(start))
		}
		if due != 0 {
			n.DueAt = graph.Some(noon.Add(due))
		}
		return n
	}
	day := 24 * time.Hour
	e.Write("u", []graph.NodeWrite{
		node("project", "p", 0.5, shared),
		task("over", "todo", 0, 9*day), task("soon", "todo", 0, 11*day), task("starts", "todo", 10*day+time.Hour, 40*day),
		task("both", "in_progress", 13*day, 12*day), task("week", "todo", 0, 17*day), task("later", "todo", 0, 17*day+time.Second),
		task("blocked", "blocked", 0, 11*day), task("done", "done", 0, 11*day), task("six", "todo", 0, 14*day), task("seven", "todo", 0, 15*day),
	})
	e.Now = noon.Add(10 * day)
	e.Write("u", []graph.NodeWrite{task("fresh", "todo", 0, 11*day)})
	w, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), "p")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("recent", []string{"fresh"}, keysOfItems(w.Recent))
	e.Same("upcoming", []string{"starts", "soon", "both", "six", "seven"}, keysOfItems(w.Upcoming))
	e.Same("totals", []int64{1, 6}, []int64{w.RecentTotal, w.UpcomingTotal})
}

// TestWorkspaceFocus shows how a node is connected with its project, and its links.
func TestWorkspaceFocus(t *testing.T) {
	e := fresh(t)
	in := func(kind, key string) graph.NodeWrite {
		n := node(kind, key, 0.5, shared)
		n.OwnFields = &graph.OwnFields{ProjectID: graph.Some("p")}
		return n
	}
	nodes := []graph.NodeWrite{node("project", "p", 0.5, shared), node("project", "q", 0.5, shared), in("goal", "g"), in("plan", "l"), in("task", "t"),
		in("task", "orphan")}
	links := []graph.RelationshipWrite{link("p", "has_goal", "g", 0.5), link("g", "has_plan", "l", 0.5), link("l", "has_task", "t", 0.5),
		link("g", "relates_to", "t", 0.5)}
	for i := range 5 {
		key := fmt.Sprintf("o%d", i)
		nodes, links = append(nodes, in("output", key)), append(links, link("t", "produces", key, 0.5), link(key, "relates_to", "t", 0.5))
	}
	nodes[0].Description = graph.Some("Make it bear ten tons")
	nodes[0].OwnFields = &graph.OwnFields{StateKey: graph.Some("active"), FacetStage: graph.Some("execution"), NextStepShort: graph.Some("Book the boat")}
	e.Write("u", nodes, links...)
	kind, _ := graph.KindOf("task")
	level := func(key, of string) *int {
		k, _ := graph.KindOf(of)
		f, err := e.projects.Focus(t.Context(), e.As("u"), k, key)
		if err != nil {
			t.Fatal(err)
		}
		return f.Level
	}
	one, two, none := 1, 2, (*int)(nil)
	e.Same("levels", []*int{&one, &two, &two, none}, []*int{level("g", "goal"), level("l", "plan"), level("t", "task"), level("orphan", "task")})
	w, f, err := e.projects.WorkspaceWith(t.Context(), e.As("u"), "p", kind, "t")
	if err != nil {
		t.Fatal(err)
	}
	e.Same("project", []string{"p", "p"}, []string{w.Project.EntityKey, f.Project.EntityKey})
	e.Same("columns of the project", []any{"Make it bear ten tons", nodes[0].OwnFields}, []any{f.Project.Description, f.Project.OwnFields})
	e.Same("links", Links{Plans: 1, Outputs: 5}, f.Links)
	e.Same("first", []string{"o0", "o1", "o2"}, f.First["outputs"])
	e.Same("relationships", 12, len(f.Edges))
	for _, c := range []struct{ project, key string }{{"q", "t"}, {"p", "nothing"}, {"nothing", "t"}} {
		if _, _, err := e.projects.WorkspaceWith(t.Context(), e.As("u"), c.project, kind, c.key); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// The key of a merged project leads to the other one, with what belonged to both.
func TestWorkspaceOfMergedProject(t *testing.T) {
	e := fresh(t)
	in := func(project string) func(*graph.NodeWrite) {
		return func(w *graph.NodeWrite) { w.OwnFields = &graph.OwnFields{ProjectID: graph.Some(project)} }
	}
	e.Write("", []graph.NodeWrite{node("project", "a", 0.5), node("project", "b", 0.5), node("goal", "ga", 0.5, in("a")), node("goal", "gb", 0.5, in("b"))},
		link("b", "has_goal", "gb", 0.5))
	e.Now = e.Now.Add(time.Hour)
	if _, err := e.Store.MergeNodes(t.Context(), e.As("u"), graph.ProjectKind, "a", graph.MergeWrite{Other: "b"}); err != nil {
		t.Fatal(err)
	}
	goal, _ := graph.KindOf("goal")
	for _, project := range []string{"a", "b"} {
		w, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), project)
		if err != nil || w.Project.EntityKey != "a" || w.Counts["goal"] != (Counts{Total: 2, Direct: 1, Listed: 2}) {
			t.Errorf("%s: %+v %v", project, w, err)
		}
		if _, focus, err := e.projects.WorkspaceWith(t.Context(), e.As("u"), project, goal, "gb"); err != nil || focus.Project.EntityKey != "a" {
			t.Errorf("%s with a focus: %+v %v", project, focus, err)
		}
	}
	e.CheckIntegrity()
}
