package workspace

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// alike reports a difference between views and those of a time. Lists without items are alike.
func (e *env) alike(what string, want, got any) {
	e.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// views are what a user's task and plan are linked with, and what the task may be linked with.
type views struct {
	Linked   []*LinkedEntities
	Possible map[string][]Available
}

// views reads all views; what is not found is nil.
func (e *env) views(user string, at *time.Time) (v views) {
	e.Helper()
	check := func(err error) {
		if err != nil && !errors.Is(err, fault.ErrNotFound) {
			e.Helper()
			e.Fatal(err)
		}
	}
	ctx, scope := e.Context(), e.As(user)
	for _, of := range [][2]string{{"task", "t"}, {"plan", "n"}} {
		k, _ := graph.KindOf(of[0])
		linked, err := e.projects.LinkedWith(ctx, scope, LinkedQuery{Kind: k, Key: of[1], Most: 2, Whole: true, AsOf: at})
		check(err)
		v.Linked = append(v.Linked, linked)
	}
	var err error
	v.Possible, err = e.projects.Available(ctx, scope, "p", "t", nil, at)
	check(err)
	return v
}

// TestLinkedOfThePast compares the views of each step of a history with what they were then.
func TestLinkedOfThePast(t *testing.T) {
	e := fresh(t)
	in := func(kind, key, name, state string) graph.NodeWrite {
		w := node(kind, key, 0.5)
		w.Name, w.TTLPolicy = graph.Some(name), graph.Some("keep_forever")
		if kind != "project" {
			w.OwnFields = &graph.OwnFields{ProjectID: graph.Some("p")}
		}
		if state != "" {
			w.StateKey = graph.Some(state)
		}
		return w
	}
	steps := []func(){
		func() {
			e.Write("u", []graph.NodeWrite{in("project", "p", "Pier", ""), in("task", "t", "paint", "todo"), in("plan", "n", "spring", "active"), in("document", "d", "brief", "")},
				link("p", "has_task", "t", 0.5), link("t", "belongs_to_plan", "n", 0.5), link("p", "has_context_document", "d", 0.5))
		},
		func() {
			e.Write("u", []graph.NodeWrite{in("project", "p", "Quay", ""), in("task", "t", "paint it", "in_progress")})
		},
		func() {
			e.Write("u", []graph.NodeWrite{in("goal", "g", "dry", "active")}, link("t", "supports_goal", "g", 0.5), link("p", "has_goal", "g", 0.5))
		},
		func() { e.Write("u", []graph.NodeWrite{in("task", "t", "paint it", "done")}) },
		func() { e.Remove("u", "plan", "n") },
		func() { e.Remove("u", "document", "d") },
		func() { e.Remove("u", "task", "t") },
		func() { e.Remove("u", "project", "p") },
		func() {
			if _, err := e.Store.RestoreNode(t.Context(), e.As("u"), graph.ProjectKind, "p"); err != nil {
				t.Fatal(err)
			}
		},
	}
	type moment struct {
		at   time.Time
		seen views
	}
	var moments []moment
	for _, step := range steps {
		e.Now = e.Now.Add(time.Millisecond)
		step()
		moments = append(moments, moment{e.Now, e.views("u", nil)})
		e.Now = e.Now.Add(time.Hour)
		moments = append(moments, moment{e.Now, e.views("u", nil)})
	}
	for _, m := range moments {
		e.alike("at "+m.at.Format("15:04:05.000"), m.seen, e.views("u", &m.at))
		if other := e.views("other", &m.at); other.Linked[0] != nil || len(other.Possible) > 0 {
			t.Errorf("another user sees %+v", other)
		}
	}
	before := graphtest.Noon
	if v := e.views("u", &before); v.Linked[0] != nil || len(v.Possible) > 0 {
		t.Errorf("before the first write: %+v", v)
	}
}
