package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"kith/graph"
	"kith/internal/fault"
)

// inProject makes a write one of a node of a project.
func inProject(project string) func(*graph.NodeWrite) {
	return func(w *graph.NodeWrite) {
		if w.OwnFields == nil {
			w.OwnFields = &graph.OwnFields{}
		}
		w.ProjectID = graph.Some(project)
	}
}

// twoProjects stores one project as two, with nodes of each, links with both, and a private node of another user in the second one.
func (e *env) twoProjects() {
	e.Helper()
	project := func(key, name, state string) graph.NodeWrite {
		w := called("project", key, name)
		w.OwnFields = &graph.OwnFields{StateKey: graph.Some(state)}
		return w
	}
	mill := project("mill", "Mill", "active")
	second := project("second", "The mill", "planning")
	second.StartAt = graph.Some(e.Now.Add(-time.Hour))
	e.Write("", []graph.NodeWrite{
		mill, second, node("task", "t1", 0.5, inProject("mill")), node("task", "t2", 0.5, inProject("second")), node("goal", "g", 0.5, inProject("second")),
		node("risk", "r", 0.5, inProject("mill")), node("task", "gone", 0.5, inProject("second")),
	}, link("mill", "has_task", "t1", 0.5), link("second", "has_task", "t2", 0.5), link("second", "has_task", "t1", 0.5), link("second", "has_risk", "r", 0.5),
		link("t2", "supports_goal", "g", 0.5))
	e.Write("u2", []graph.NodeWrite{node("task", "private", 0.5, inProject("second"))}, link("second", "has_task", "private", 0.5))
	e.Source("u1", graph.SourceWrite{EntityKey: "s", Mentions: []string{"second"}})
	e.Remove("", "task", "gone")
}

// workspaces is content without the order of the projects themselves, which follows the time of their last change.
func (e *env) workspaces() []string {
	e.Helper()
	lines := e.content()
	for i, line := range lines {
		if strings.Contains(line, "[Memory Project]") || strings.Contains(line, "[Project Memory]") {
			parts := strings.Fields(line)
			lines[i] = strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.HasPrefix(s, "-1") }), " ")
		}
	}
	slices.Sort(lines)
	return lines
}

// A merged project lives on in the other one: what belongs to it, its links and its key.
func TestMergeOfProjects(t *testing.T) {
	e := fresh(t)
	e.twoProjects()
	before := e.content()
	e.Now = e.Now.Add(time.Hour)
	earlier := e.Now.Add(-time.Minute)

	dry := e.merge("u1", "project", "mill", graph.MergeWrite{Other: "second", DryRun: true})
	e.Same("nothing is done in a dry run", before, e.content())
	m := e.merge("u1", "project", "mill", graph.MergeWrite{Other: "second"})
	e.Same("the dry run tells what is done", dry, m)
	e.Same("moved", []int64{3, 2, 1}, []int64{m.Nodes, m.Relationships, m.Left}) // nodes; with t2 and r; with t1
	e.Same("conflicts", []graph.MergeConflict{{Field: "state_key", Kept: []byte(`"active"`), Dropped: []byte(`"planning"`)}}, m.Conflicts)
	n := e.get("u1", "project", "second")
	e.Same("names", []any{"mill", "Mill", []string{"The mill"}, true}, []any{n.EntityKey, n.Name, n.Aliases.Value, n.StartAt.Given})
	e.Same("nodes", [][]any{{"g"}, {"private"}, {"r"}, {"t1"}, {"t2"}}, e.Raw(`MATCH (n:Memory {team_id: $team, project_id: 'mill'}) RETURN n.entity_key ORDER BY n.entity_key`))
	for _, project := range []string{"mill", "second"} { // the old key leads to the project
		page, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: kindOf("task"), ProjectID: project, Limit: 10})
		if err != nil || len(page.Nodes) != 2 {
			t.Errorf("tasks of %s: %+v %v", project, page.Nodes, err)
		}
	}
	past, err := e.Store.Nodes(t.Context(), e.As("u1"), graph.NodeList{Kind: kindOf("task"), ProjectID: "second", Limit: 10, AsOf: &earlier})
	if err != nil || len(past.Nodes) != 1 {
		t.Errorf("tasks before the merge: %+v %v", past.Nodes, err)
	}
	e.Write("", []graph.NodeWrite{node("task", "t3", 0.5, inProject("second"))})
	e.Same("a write by the old key", "mill", e.get("u1", "task", "t3").ProjectID.Value)
	if _, err := e.Store.RestoreNode(t.Context(), e.As(""), graph.Kind{}, "gone"); err != nil {
		t.Fatal(err)
	}
	e.Same("a node that was deleted before", "mill", e.get("u1", "task", "gone").ProjectID.Value)
	e.Write("u1", []graph.NodeWrite{node("source", "talk", 0.5)})
	e.focus("u1", "talk", graph.ConversationFocus{ProjectID: "second", FocusKind: "task", FocusID: "t2"})
	e.CheckIntegrity()
}

func kindOf(name string) graph.Kind {
	kind, _ := graph.KindOf(name)
	return kind
}

func (e *env) focus(user, key string, focus graph.ConversationFocus) {
	e.Helper()
	if _, err := e.Store.SetFocus(e.Context(), e.As(user), key, &focus); err != nil {
		e.Fatal(err)
	}
}

// An undo restores both projects with what belonged to each, if nothing was written meanwhile.
func TestMergeOfProjectsIsUndone(t *testing.T) {
	e := fresh(t)
	e.twoProjects()
	before := e.workspaces()
	e.Now = e.Now.Add(time.Hour)
	for _, take := range [][]string{nil, {"name", "state_key", "start_at"}} {
		e.merge("", "project", "mill", graph.MergeWrite{Other: "second", Take: take})
		e.restore("", "project", "second")
		e.Same("content", before, e.workspaces())
		e.CheckIntegrity()
	}

	e.merge("", "project", "mill", graph.MergeWrite{Other: "second"})
	e.Write("", []graph.NodeWrite{node("project", "third", 0.5), node("task", "new", 0.5, inProject("second")), change("goal", "g", inProject("third"))})
	e.Remove("", "task", "t2")
	e.restore("", "project", "second")
	e.restore("", "task", "t2")
	e.restore("", "task", "gone")
	e.Same("nodes", [][]any{{"g", "third"}, {"gone", "second"}, {"new", "mill"}, {"private", "second"}, {"r", "mill"}, {"t1", "mill"}, {"t2", "second"}},
		e.Raw(`MATCH (n:Memory {team_id: $team}) WHERE n.project_id IS NOT NULL RETURN n.entity_key, n.project_id ORDER BY n.entity_key`))
	e.CheckIntegrity()
}

// An undo does not wait for nodes of the project that did not come with the other one: there may be very many.
func TestUndoOfAMergeOfProjectsLocksLittle(t *testing.T) {
	e := fresh(t)
	e.twoProjects()
	e.Write("", []graph.NodeWrite{node("task", "own", 0.5, inProject("mill"))})
	e.merge("", "project", "mill", graph.MergeWrite{Other: "second"})
	session := e.Store.DB().Session(t.Context(), neo4j.AccessModeWrite, "", neo4j.FetchAll)
	defer func() { _ = session.Close(t.Context()) }()
	other, err := session.BeginTransaction(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(t.Context()) }()
	if _, err := other.Run(t.Context(), `MATCH (n:Memory {team_id: $team, entity_key: 'own'}) SET n.team_id = n.team_id RETURN n.entity_key`, map[string]any{"team": e.Team}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := e.Store.RestoreNode(ctx, e.As(""), graph.ProjectKind, "second"); err != nil {
		t.Error(err)
	}
}

// Merges of merged projects are undone in the reverse order.
func TestMergesOfProjectsInARow(t *testing.T) {
	e := fresh(t)
	e.twoProjects()
	e.Write("", []graph.NodeWrite{node("project", "third", 0.5), node("task", "t4", 0.5, inProject("third"))}, link("third", "has_task", "t4", 0.5))
	before := e.workspaces()
	e.merge("", "project", "mill", graph.MergeWrite{Other: "second"})
	e.merge("", "project", "third", graph.MergeWrite{Other: "mill"})
	e.Same("nodes", [][]any{{int64(6)}}, e.Raw(`MATCH (n:Memory {team_id: $team, project_id: 'third'}) RETURN count(n)`))
	_, err := e.Store.RestoreNode(t.Context(), e.As(""), graph.ProjectKind, "second")
	e.Same("the first before the second", true, errors.Is(err, fault.ErrConflict))
	e.restore("", "project", "mill")
	e.restore("", "project", "second")
	e.Same("content", before, e.workspaces())
	e.CheckIntegrity()
}

func TestMergesOfProjectsThatAreRefused(t *testing.T) {
	e := fresh(t)
	e.twoProjects()
	e.Write("u1", []graph.NodeWrite{node("project", "mine", 0.5)})
	e.Write("u2", []graph.NodeWrite{node("project", "theirs", 0.5)})
	e.Write("", []graph.NodeWrite{node("project", "part", 0.5)}, link("mill", "contains", "t1", 0.5), link("t1", "contains", "part", 0.5))
	before := e.content()
	for what, c := range map[string]struct {
		key   string
		write graph.MergeWrite
		want  error
	}{
		"itself":       {"mill", graph.MergeWrite{Other: "mill"}, fault.ErrInvalid},
		"a task":       {"mill", graph.MergeWrite{Other: "t1"}, fault.ErrInvalid},
		"private":      {"mill", graph.MergeWrite{Other: "mine"}, fault.ErrInvalid},
		"another user": {"mine", graph.MergeWrite{Other: "theirs"}, fault.ErrInvalid},
		"theirs":       {"theirs", graph.MergeWrite{Other: "mine"}, fault.ErrNotFound},
		"a ring":       {"part", graph.MergeWrite{Other: "mill"}, fault.ErrInvalid},
		"no field":     {"mill", graph.MergeWrite{Other: "second", Take: []string{"due_at"}}, fault.ErrInvalid},
	} {
		if _, err := e.Store.MergeNodes(t.Context(), e.As("u1"), graph.ProjectKind, c.key, c.write); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	e.Same("content", before, e.content())
}

// Tasks that are written to a project while it is merged belong to the other one.
func TestMergeOfProjectsAndWritesAtOnce(t *testing.T) {
	e := fresh(t)
	e.twoProjects()
	atOnce(t, func(i int) error {
		if i == 0 {
			_, err := e.Store.MergeNodes(t.Context(), e.As(""), graph.ProjectKind, "mill", graph.MergeWrite{Other: "second"})
			return err
		}
		_, err := e.Store.Write(t.Context(), e.As(""), &graph.MemoryWrite{Nodes: []graph.NodeWrite{node("task", fmt.Sprint("w", i), 0.5, inProject("second"))}})
		return err
	})
	e.Same("left behind", [][]any{{int64(0)}}, e.Raw(`MATCH (n:Memory {team_id: $team, project_id: 'second'}) RETURN count(n)`))
	e.CheckIntegrity()
}

// An erased user leaves no trace in what others had in a merged private project.
func TestErasureAfterMergeOfProjects(t *testing.T) {
	e := fresh(t)
	e.Write("u1", []graph.NodeWrite{node("project", "a", 0.5), node("project", "b", 0.5)})
	e.Write("", []graph.NodeWrite{node("task", "shared", 0.5, inProject("b"))})
	e.merge("u1", "project", "a", graph.MergeWrite{Other: "b"})
	e.Same("moved", [][]any{{"a", []any{"b"}}}, e.Raw(`MATCH (n:Task {team_id: $team}) RETURN n.project_id, n.merged_from`))
	if _, err := e.eraseUser(t.Context(), "u1"); err != nil {
		t.Fatal(err)
	}
	e.Same("left", [][]any{{nil, nil}}, e.Raw(`MATCH (n:Task {team_id: $team}) RETURN n.project_id, n.merged_from`))
	e.CheckIntegrity()
}
