package workspace

import (
	"fmt"
	"testing"

	"kith/graph"
)

// around returns numbers below, at and above a cap, with a project for each.
func around(most int) map[string]int {
	return map[string]int{"below": most - 1, "at": most, "above": most + 1}
}

// inProject returns a shared node of a project.
func inProject(project, kind, key string) graph.NodeWrite {
	w := node(kind, key, 0.5, shared)
	w.OwnFields = &graph.OwnFields{ProjectID: graph.Some(project)}
	if kind == "task" {
		w.StateKey = graph.Some("todo")
	}
	return w
}

// TestWorkspaceListsAreCapped checks lists below, at and above their cap, and that all items are counted.
func TestWorkspaceListsAreCapped(t *testing.T) {
	e := fresh(t)
	caps := map[string]int{
		"goal": 10, "document": 10, "output": 10, "requirement": 8, "risk": 6, "decision": 6, "milestone": 6, "plan": 6, "signal": 6, "insight": 6, "task": 10,
	}
	for project, by := range map[string]int{"below": -1, "at": 0, "above": 1} {
		nodes, links := []graph.NodeWrite{node("project", project, 0.5, shared)}, []graph.RelationshipWrite{}
		for kind, most := range caps {
			for i := range most + by {
				key := fmt.Sprintf("%s-%s-%d", project, kind, i)
				nodes, links = append(nodes, inProject(project, kind, key)), append(links, link(project, "relates_to", key, 0.5))
			}
		}
		e.Write("u", nodes, links...)
		w, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), project)
		if err != nil {
			t.Fatal(err)
		}
		for kind, most := range caps {
			shown := len(w.Shown[kind])
			if kind == "task" {
				shown = len(w.Recent)
				e.Same(project+": all recent tasks", most+by, int(w.RecentTotal))
			}
			e.Same(project+": shown "+kind, min(most, most+by), shown)
			e.Same(project+": all "+kind, int64(most+by), w.Counts[kind].Listed)
		}
	}
}

// TestWorkspaceUpcomingTasksAreCapped shows five tasks that are due soon and have not changed lately.
func TestWorkspaceUpcomingTasksAreCapped(t *testing.T) {
	e := fresh(t)
	for project, n := range around(5) {
		nodes := []graph.NodeWrite{node("project", project, 0.5, shared)}
		for i := range n {
			task := inProject(project, "task", fmt.Sprintf("%s-%d", project, i))
			task.DueAt = graph.Some(noon.Add(9 * graph.Week / 7))
			nodes = append(nodes, task)
		}
		e.Write("u", nodes)
	}
	e.Now = noon.Add(8 * graph.Week / 7)
	for project, n := range around(5) {
		w, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), project)
		if err != nil {
			t.Fatal(err)
		}
		e.Same(project, []int{0, min(5, n), n}, []int{len(w.Recent), len(w.Upcoming), int(w.UpcomingTotal)})
	}
}

// TestWorkspacePictureIsCapped checks the limits of 60 nodes, 10 of a kind, and 80 edges.
func TestWorkspacePictureIsCapped(t *testing.T) {
	e := fresh(t)
	kinds := []string{"task", "goal", "plan", "risk", "document", "output", "milestone"}
	linked := func(project string, nodes, edges int) *Workspace {
		all, links, keys := []graph.NodeWrite{node("project", project, 0.5, shared)}, []graph.RelationshipWrite{}, []string{}
		for i := range nodes - 1 {
			key := fmt.Sprintf("%s-%d", project, i)
			keys = append(keys, key)
			all, links = append(all, inProject(project, kinds[i%len(kinds)], key)), append(links, link(project, "relates_to", key, 0.5))
		}
		for i := range edges - len(links) {
			links = append(links, link(keys[i], "depends_on", keys[i+1], 0.5))
		}
		e.Write("u", all, links...)
		w, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), project)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for what, n := range around(60) {
		w := linked("nodes-"+what, n, n-1)
		e.Same("nodes "+what, min(60, n), len(w.Nodes))
		e.Same("edges between those that are shown, "+what, min(59, n-1), len(w.Edges))
	}
	for what, n := range around(80) {
		e.Same("edges "+what, min(80, n), len(linked("edges-"+what, 50, n).Edges))
	}
	kinds = kinds[:1]
	for what, n := range around(10) {
		e.Same("of a kind "+what, 1+min(10, n), len(linked("kind-"+what, n+1, n).Nodes))
	}
}

// TestWorkspaceRelationshipsAreCapped checks the limits of 50 relationships of a project, 20 of the node in focus,
// and 50 projects.
func TestWorkspaceRelationshipsAreCapped(t *testing.T) {
	e := fresh(t)
	task, _ := graph.KindOf("task")
	for what, n := range around(50) {
		nodes, links := []graph.NodeWrite{node("project", what, 0.5, shared)}, []graph.RelationshipWrite{}
		for i := range n {
			key := fmt.Sprintf("%s-%d", what, i)
			nodes, links = append(nodes, inProject(what, "task", key)), append(links, link(what, "has_task", key, 0.5))
		}
		e.Write("u", nodes, links...)
		w, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), what)
		if err != nil {
			t.Fatal(err)
		}
		e.Same("of a project, "+what, min(50, n), len(w.Linked))
	}
	for what, n := range around(20) {
		var links []graph.RelationshipWrite
		focus := "focus-" + what
		for i := range n {
			links = append(links, link(focus, "depends_on", fmt.Sprintf("above-%d", i), 0.5))
		}
		e.Write("u", []graph.NodeWrite{inProject("above", "task", focus)}, links...)
		f, err := e.projects.Focus(t.Context(), e.As("u"), task, focus)
		if err != nil {
			t.Fatal(err)
		}
		e.Same("of what is in focus, "+what, min(20, n), len(f.Edges))
	}
	have := 3
	for _, n := range []int{49, 50, 51} {
		var nodes []graph.NodeWrite
		for ; have < n; have++ {
			nodes = append(nodes, node("project", fmt.Sprintf("more-%d", have), 0.5, shared))
		}
		e.Write("u", nodes)
		all, err := e.projects.Workspaces(t.Context(), e.As("u"))
		if err != nil {
			t.Fatal(err)
		}
		e.Same("projects", []int{min(50, n), n}, []int{len(all.Projects), int(all.Total)})
	}
}

// TestLinkedIsCapped returns the requested number of each kind, counts all, and lists up to 100 linkable nodes.
func TestLinkedIsCapped(t *testing.T) {
	e := fresh(t)
	task, _ := graph.KindOf("task")
	e.Write("u", []graph.NodeWrite{node("project", "p", 0.5, shared)})
	for _, most := range []int{3, 50} {
		for what, n := range around(most) {
			focus := fmt.Sprintf("focus-%d-%s", most, what)
			nodes, links := []graph.NodeWrite{inProject("p", "task", focus)}, []graph.RelationshipWrite{}
			for i := range n {
				key := fmt.Sprintf("%s-%d", focus, i)
				nodes, links = append(nodes, inProject("p", "plan", key)), append(links, link(focus, "belongs_to_plan", key, 0.5))
			}
			e.Write("u", nodes, links...)
			l, err := e.projects.LinkedWith(t.Context(), e.As("u"), LinkedQuery{Kind: task, Key: focus, Most: most})
			if err != nil {
				t.Fatal(err)
			}
			e.Same(focus, []int{min(most, n), n}, []int{len(l.Kinds["plan"].Nodes), l.Kinds["plan"].Total})
		}
	}
	have := 0
	for _, n := range []int{99, 100, 101} {
		var nodes []graph.NodeWrite
		for ; have < n; have++ {
			nodes = append(nodes, inProject("p", "risk", fmt.Sprintf("risk-%d", have)))
		}
		e.Write("u", nodes)
		all, err := e.projects.Available(t.Context(), e.As("u"), "p", "focus-3-at", []string{"risk"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		e.Same("available", min(100, n), len(all["risk"]))
	}
}
