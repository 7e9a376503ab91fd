package workspace

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// TestLinkedEntities checks that linked nodes are returned and counted by kind, those in progress first.
func TestLinkedEntities(t *testing.T) {
	e := fresh(t)
	n := 0
	in := func(kind, key, state string, c ...func(*graph.NodeWrite)) graph.NodeWrite {
		w := node(kind, key, 0.5, append(c, shared)...)
		own := &graph.OwnFields{ProjectID: graph.Some("p")}
		if state != "" {
			own.StateKey = graph.Some(state)
		}
		n++
		w.OwnFields, w.CreatedAt = own, graph.Some(noon.Add(time.Duration(n)*time.Minute))
		return w
	}
	scratch := in("document", "scratch", "")
	scratch.TypeKey = graph.Some("document.Scratch")
	nodes := []graph.NodeWrite{
		node("project", "p", 0.5, shared), in("task", "t", "todo"),
		in("plan", "old", "active"), in("plan", "done", "completed"), in("plan", "new", "active"), in("plan", "draft", "draft"),
		in("document", "brief", ""), scratch, in("document", "gone", ""), in("goal", "mine", "active"),
	}
	nodes[len(nodes)-1].UserID = graph.Some("v")
	links := []graph.RelationshipWrite{
		link("t", "belongs_to_plan", "old", 0.5), link("done", "has_task", "t", 0.5), link("t", "relates_to", "new", 0.5), link("draft", "relates_to", "t", 0.5),
		link("t", "relates_to", "old", 0.5), link("t", "references", "brief", 0.5), link("t", "references", "scratch", 0.5), link("t", "references", "gone", 0.5),
		link("p", "has_context_document", "brief", 0.5), link("p", "has_task", "t", 0.5),
	}
	e.Write("u", nodes[:len(nodes)-1], links...)
	e.Write("v", nodes[len(nodes)-1:], link("t", "supports_goal", "mine", 0.5))
	e.Remove("u", "document", "gone")
	task, _ := graph.KindOf("task")
	ask := func(user string, q LinkedQuery) *LinkedEntities {
		q.Kind, q.Key = task, "t"
		l, err := e.projects.LinkedWith(t.Context(), e.As(user), q)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	keys := func(l *LinkedEntities, kind string) (keys []string) {
		for _, n := range l.Kinds[kind].Nodes {
			keys = append(keys, n.Key)
		}
		return keys
	}
	l := ask("u", LinkedQuery{Most: 3})
	e.Same("plans", []string{"new", "old", "draft"}, keys(l, "plan"))
	e.Same("all plans", 4, l.Kinds["plan"].Total)
	e.Same("documents", []string{"brief"}, keys(l, "document"))
	e.Same("all documents", 1, l.Kinds["document"].Total)
	e.Same("the context document", true, l.Kinds["document"].Nodes[0].Context)
	e.Same("two relationships to one", 2, len(l.Kinds["plan"].Nodes[1].Relations))
	e.Same("kinds", 2, len(l.Kinds)) // neither the project, nor private nodes of another user
	e.Same("a description", "", l.Kinds["plan"].Nodes[0].Description)
	e.Same("the next ones", []string{"done"}, keys(ask("u", LinkedQuery{Skip: 3, Most: 3}), "plan"))
	e.Same("of one kind", 1, len(ask("u", LinkedQuery{Kinds: []string{"document"}, Most: 3}).Kinds))
	e.Same("the user's own", []string{"mine"}, keys(ask("v", LinkedQuery{Most: 3}), "goal"))
	direction := map[string]bool{}
	for _, n := range ask("u", LinkedQuery{Most: 10}).Kinds["plan"].Nodes {
		for _, r := range n.Relations {
			direction[fmt.Sprint(n.Key, " ", r.Type)] = r.Outgoing
		}
	}
	stored := map[string]bool{"new relates_to": true, "old relates_to": true, "done has_task": false, "draft relates_to": false}
	for what, outgoing := range stored {
		if got, there := direction[what]; !there || got != outgoing {
			t.Errorf("%s: outgoing %v, there %v", what, got, there)
		}
	}
	available, err := e.projects.Available(t.Context(), e.As("u"), "p", "t", []string{"plan", "document", "task"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Same("available", map[string][]Available{
		"plan": {{"done", "the done", "completed", true}, {"draft", "the draft", "draft", true}, {"new", "the new", "active", true},
			{"old", "the old", "active", true}},
		"document": {{"brief", "the brief", "", true}},
	}, map[string][]Available{"plan": available["plan"], "document": available["document"]})
	for _, key := range []string{"nothing", "old"} {
		if _, err := e.projects.LinkedWith(t.Context(), e.As("u"), LinkedQuery{Kind: task, Key: key, Most: 3}); !errors.Is(err, fault.ErrNotFound) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := e.projects.LinkedWith(t.Context(), e.neighbour().As("u"), LinkedQuery{Kind: task, Key: "t", Most: 3}); !errors.Is(err, fault.ErrNotFound) {
		t.Errorf("another team: %v", err)
	}
}

// TestContextDocumentOfLinked checks that a deleted context document, or another user's, does not hide the one that is there.
func TestContextDocumentOfLinked(t *testing.T) {
	e := fresh(t)
	in := func(kind, key string, c ...func(*graph.NodeWrite)) graph.NodeWrite {
		w := node(kind, key, 0.5, append([]func(*graph.NodeWrite){shared}, c...)...)
		w.OwnFields = &graph.OwnFields{ProjectID: graph.Some("p")}
		return w
	}
	e.Write("u", []graph.NodeWrite{node("project", "p", 0.5, shared), in("task", "t"), in("document", "a")}, link("p", "has_context_document", "a", 0.5))
	e.Write("v", []graph.NodeWrite{in("document", "b", graphtest.Of("v"))}, link("p", "has_context_document", "b", 0.5))
	e.Remove("u", "document", "a")
	e.Write("u", []graph.NodeWrite{in("document", "c")}, link("p", "has_context_document", "c", 0.5), link("t", "references", "c", 0.5))
	l, err := e.projects.LinkedWith(t.Context(), e.As("u"), LinkedQuery{Kind: graph.KindOfLabel("Task"), Key: "t", Most: 3})
	if err != nil || len(l.Kinds["document"].Nodes) != 1 {
		t.Fatalf("%+v, %v", l, err)
	}
	e.Same("is the context document", true, l.Kinds["document"].Nodes[0].Context)
}
