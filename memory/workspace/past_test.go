package workspace

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kith/graph"
	"kith/internal/fault"
	"kith/tests/graphtest"
)

// alike reports a difference between a view and that of a time. Lists without items, and counts of nothing, are alike.
func (e *env) alike(what string, want, got any) {
	e.Helper()
	some := cmpopts.IgnoreMapEntries(func(_ string, c Counts) bool { return c == Counts{} })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), some); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantAsOfNow compares a view, which reads stored places, with the same view as of now, which is made of all nodes.
func (e *env) wantAsOfNow(user, project string, want *Workspace) {
	e.Helper()
	got, err := e.projects.WorkspaceOf(e.Context(), e.As(user), project, &e.Now)
	if err != nil {
		e.Fatal(err)
	}
	e.alike("as of now for "+user, want, got)
}

// views are all views of a user's project, task and plan.
type views struct {
	All      *Workspaces
	Project  *Workspace
	Focus    []*Element
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
	var err error
	ctx, scope := e.Context(), e.As(user)
	v.All, err = e.projects.Workspaces(ctx, scope, at)
	check(err)
	v.Project, err = e.projects.WorkspaceOf(ctx, scope, "p", at)
	check(err)
	for kind, key := range map[string]string{"task": "t", "plan": "n"} {
		k, _ := graph.KindOf(kind)
		_, focus, err := e.projects.WorkspaceWith(ctx, scope, "p", k, key, at)
		check(err)
		alone, err := e.projects.Focus(ctx, scope, k, key, at)
		check(err)
		linked, err := e.projects.LinkedWith(ctx, scope, LinkedQuery{Kind: k, Key: key, Most: 2, Whole: true, AsOf: at})
		check(err)
		if kind == "task" {
			v.Focus, v.Linked = append([]*Element{focus, alone}, v.Focus...), append([]*LinkedEntities{linked}, v.Linked...)
		} else {
			v.Focus, v.Linked = append(v.Focus, focus, alone), append(v.Linked, linked)
		}
	}
	v.Possible, err = e.projects.Available(ctx, scope, "p", "t", nil, at)
	check(err)
	return v
}

// TestProjectsOfThePast compares all views of each step of a history with what they were then.
func TestProjectsOfThePast(t *testing.T) {
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
		if other := e.views("other", &m.at); other.Project != nil || other.All.Total > 0 || other.Linked[0] != nil || other.Focus[1] != nil {
			t.Errorf("another user sees %+v", other)
		}
	}
	before := graphtest.Noon
	if v := e.views("u", &before); v.Project != nil || v.All.Total > 0 || v.Linked[0] != nil {
		t.Errorf("before the first write: %+v", v)
	}
}

// TestManyTasksOfThePast checks that a project with many direct tasks is counted alike now and as of now.
func TestManyTasksOfThePast(t *testing.T) {
	e := fresh(t)
	nodes, links := []graph.NodeWrite{node("project", "p", 0.5)}, []graph.RelationshipWrite{}
	for i := range pictureWalked + 50 {
		w := node("task", fmt.Sprint("t", i), 0.5)
		w.OwnFields = &graph.OwnFields{ProjectID: graph.Some("p")}
		nodes, links = append(nodes, w), append(links, link("p", "has_task", w.EntityKey, 0.5))
	}
	e.Write("u", nodes, links...)
	now, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), "p", nil)
	if err != nil {
		t.Fatal(err)
	}
	then, err := e.projects.WorkspaceOf(t.Context(), e.As("u"), "p", &e.Now)
	if err != nil {
		t.Fatal(err)
	}
	e.Same("counts", now.Counts, then.Counts)
}
