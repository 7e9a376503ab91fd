package graph

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// TestLinkedEntities checks that linked nodes are returned and counted by kind, those in progress first.
func TestLinkedEntities(t *testing.T) {
	e := fresh(t)
	n := 0
	in := func(kind, key, state string, c ...func(*NodeWrite)) NodeWrite {
		w := node(kind, key, 0.5, append(c, shared)...)
		own := &OwnFields{ProjectID: Some("p")}
		if state != "" {
			own.StateKey = Some(state)
		}
		n++
		w.OwnFields, w.CreatedAt = own, Some(noon.Add(time.Duration(n)*time.Minute))
		return w
	}
	scratch := in("document", "scratch", "")
	scratch.TypeKey = Some("document.Scratch")
	nodes := []NodeWrite{
		node("project", "p", 0.5, shared), in("task", "t", "todo"),
		in("plan", "old", "active"), in("plan", "done", "completed"), in("plan", "new", "active"), in("plan", "draft", "draft"),
		in("document", "brief", ""), scratch, in("document", "gone", ""), in("goal", "mine", "active"),
	}
	nodes[len(nodes)-1].UserID = Some("v")
	links := []RelationshipWrite{
		link("t", "belongs_to_plan", "old", 0.5), link("done", "has_task", "t", 0.5), link("t", "relates_to", "new", 0.5), link("draft", "relates_to", "t", 0.5),
		link("t", "relates_to", "old", 0.5), link("t", "references", "brief", 0.5), link("t", "references", "scratch", 0.5), link("t", "references", "gone", 0.5),
		link("p", "has_context_document", "brief", 0.5), link("p", "has_task", "t", 0.5),
	}
	e.write("u", nodes[:len(nodes)-1], links...)
	e.write("v", nodes[len(nodes)-1:], link("t", "supports_goal", "mine", 0.5))
	e.remove("u", "document", "gone")
	task, _ := KindOf("task")
	ask := func(user string, q LinkedQuery) *LinkedEntities {
		q.Kind, q.Key = task, "t"
		l, err := e.store.LinkedWith(t.Context(), e.as(user), q)
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
	e.same("plans", []string{"new", "old", "draft"}, keys(l, "plan"))
	e.same("all plans", 4, l.Kinds["plan"].Total)
	e.same("documents", []string{"brief"}, keys(l, "document"))
	e.same("all documents", 1, l.Kinds["document"].Total)
	e.same("the context document", true, l.Kinds["document"].Nodes[0].Context)
	e.same("two relationships to one", 2, len(l.Kinds["plan"].Nodes[1].Relations))
	e.same("kinds", 2, len(l.Kinds)) // neither the project, nor private nodes of another user
	e.same("a description", "", l.Kinds["plan"].Nodes[0].Description)
	e.same("the next ones", []string{"done"}, keys(ask("u", LinkedQuery{Skip: 3, Most: 3}), "plan"))
	e.same("of one kind", 1, len(ask("u", LinkedQuery{Kinds: []string{"document"}, Most: 3}).Kinds))
	e.same("the user's own", []string{"mine"}, keys(ask("v", LinkedQuery{Most: 3}), "goal"))
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
	available, err := e.store.Available(t.Context(), e.as("u"), "p", "t", []string{"plan", "document", "task"})
	if err != nil {
		t.Fatal(err)
	}
	e.same("available", map[string][]Available{
		"plan": {{"done", "the done", "completed", true}, {"draft", "the draft", "draft", true}, {"new", "the new", "active", true},
			{"old", "the old", "active", true}},
		"document": {{"brief", "the brief", "", true}},
	}, map[string][]Available{"plan": available["plan"], "document": available["document"]})
	for _, key := range []string{"nothing", "old"} {
		if _, err := e.store.LinkedWith(t.Context(), e.as("u"), LinkedQuery{Kind: task, Key: key, Most: 3}); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := e.store.LinkedWith(t.Context(), e.neighbour().as("u"), LinkedQuery{Kind: task, Key: "t", Most: 3}); !errors.Is(err, ErrNotFound) {
		t.Errorf("another team: %v", err)
	}
}
