package ontology

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kith/graph"
	"kith/internal/fault"
	"kith/loader"
	"kith/memory/workspace"
	"kith/tests/golden"
	"kith/text/tokens"
)

// links returns the links of a task.
func links() *workspace.LinkedEntities {
	due := at.AddDate(0, 0, 9)
	l := &workspace.LinkedEntities{
		Node: workspace.Ref{NodeRef: graph.NodeRef{EntityKey: "task-31", Kind: "task", Name: "Inspect pier 4"}}, Project: "proj-1",
		Kinds: map[string]workspace.LinkedKind{
			"plan": {Total: 1, Nodes: []workspace.LinkedNode{{
				Key: "plan-07", Name: "Quay Repair", State: "active", Type: "plan.phase.works", Description: "Untruncated text.\n\n- of several lines",
				Relations: []workspace.LinkedRelation{{Key: "e1", Type: "belongs_to_plan", Outgoing: true}, {Key: "e2", Type: "has_task"}},
			}}},
			"milestone": {Total: 4, Nodes: []workspace.LinkedNode{{
				Key: "mile-1", Name: "First chart", DueAt: &due, Relations: []workspace.LinkedRelation{{Key: "e3", Type: "targets_milestone", Outgoing: true}},
			}}},
		},
	}
	l.Kinds["task"] = workspace.LinkedKind{Total: 2, Nodes: []workspace.LinkedNode{{
		Key: "task-4", Name: "Sound", State: "todo", Relations: []workspace.LinkedRelation{{Key: "e4", Type: "depends_on", Outgoing: true}},
	}}}
	documents := workspace.LinkedKind{Total: 5}
	for i := range 3 {
		documents.Nodes = append(documents.Nodes, workspace.LinkedNode{
			Key: fmt.Sprintf("doc-1%d", i), Name: "Tide\nTables", Context: i == 1, Relations: []workspace.LinkedRelation{{Key: fmt.Sprint("d", i), Type: "references", Outgoing: true}},
		})
	}
	l.Kinds["document"] = documents
	return l
}

func linkedText(t *testing.T, found *workspace.LinkedEntities, r LinkedRequest) string {
	t.Helper()
	l, _ := newLoader(&fakeStore{linked: found})
	r.Scope, r.Key = scope, "task-31"
	r.Kind, _ = graph.KindOf("task")
	answer, err := l.Linked(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer.Body())
}

// TestLinkedGoldens holds the two texts and the JSON against what they were.
func TestLinkedGoldens(t *testing.T) {
	t.Parallel()
	none := &workspace.LinkedEntities{Node: links().Node}
	golden.Check(t, "testdata/linked_abbreviated.md", linkedText(t, links(), LinkedRequest{Format: loader.Text}))
	golden.Check(t, "testdata/linked_full.md", linkedText(t, links(), LinkedRequest{Format: loader.Text, Mode: Full}))
	golden.Check(t, "testdata/linked_full.json", linkedText(t, links(), LinkedRequest{Mode: Full, Most: 3, Available: true})+"\n")
	goal := links()
	goal.Node.Kind = "goal"
	if got := linkedText(t, goal, LinkedRequest{Format: loader.Text}); !strings.Contains(got, "\n### Tasks (2 linked, showing first 1)\n") {
		t.Errorf("the tasks of a goal: %s", got)
	}
	if got := linkedText(t, none, LinkedRequest{Format: loader.Text}); got != "" {
		t.Errorf("without links: %q", got)
	}
	if got := linkedText(t, none, LinkedRequest{Format: loader.Text, Mode: Full}); !strings.Contains(got, "No linked entities found.") {
		t.Errorf("without links, in full: %q", got)
	}
}

// TestLinkedBudget keeps the token budget by leaving lines out.
func TestLinkedBudget(t *testing.T) {
	t.Parallel()
	for _, mode := range []LinkedMode{Abbreviated, Full} {
		for _, budget := range []int{100, 150, 250} {
			text := linkedText(t, links(), LinkedRequest{Format: loader.Text, Mode: mode, MaxTokens: budget})
			if n, _ := tokens.Count(text); n > budget {
				t.Errorf("%s, budget %d: %d tokens", mode, budget, n)
			}
		}
	}
	nine := &workspace.LinkedEntities{Node: links().Node, Kinds: map[string]workspace.LinkedKind{}}
	for _, kind := range workspace.LinkedKinds {
		of := workspace.LinkedKind{Total: 12}
		for i := range 3 {
			of.Nodes = append(of.Nodes, workspace.LinkedNode{Key: fmt.Sprintf("%s-%02d", kind, i), Name: "Sound the basin", State: "active", Relations: []workspace.LinkedRelation{{Type: "relates_to"}}})
		}
		nine.Kinds[kind] = of
	}
	text := linkedText(t, nine, LinkedRequest{Format: loader.Text, MaxTokens: 500})
	if n, _ := tokens.Count(text); n > 500 || strings.Count(text, "###") != 9 {
		t.Errorf("nine kinds: %d tokens\n%s", n, text)
	}
}

// TestLinkedPages goes on where a page ended, and takes no cursor of another question.
func TestLinkedPages(t *testing.T) {
	t.Parallel()
	found := links()
	plans := found.Kinds["plan"]
	plans.Total = 120
	found.Kinds["plan"] = plans
	var first LinkedContext
	if err := json.Unmarshal([]byte(linkedText(t, found, LinkedRequest{Mode: Full})), &first); err != nil || first.Next == nil || !first.Truncated {
		t.Fatalf("no next page of 120: %+v, %v", first, err)
	}
	r := LinkedRequest{Scope: scope, Key: "task-31", Mode: Full, Cursor: *first.Next}
	r.Kind, _ = graph.KindOf("task")
	r.setDefaults()
	if skip, ok := r.skip(); !ok || skip != 50 {
		t.Errorf("the next page begins at %d, %v", skip, ok)
	}
	for name, change := range map[string]func(*LinkedRequest){
		"another node": func(r *LinkedRequest) { r.Key = "task-3" }, "another filter": func(r *LinkedRequest) { r.Filter = "plan" },
		"another user": func(r *LinkedRequest) { r.Scope.UserID = "v" }, "tampered with": func(r *LinkedRequest) { r.Cursor = "A" + r.Cursor[1:] + "A" },
		"not one": func(r *LinkedRequest) { r.Cursor = "%" }, "another size": func(r *LinkedRequest) { r.Most = 10 },
	} {
		other := r
		change(&other)
		if err := other.Validate(); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOntologyWithoutLinks comes all the same where what is linked cannot be loaded, says so, and is not kept.
func TestOntologyWithoutLinks(t *testing.T) {
	t.Parallel()
	store := ontologies()
	store.linked, store.linkedFails = nil, graph.ErrUnavailable
	l, kept := newLoader(store)
	answer, err := l.Ontology(t.Context(), Request{Scope: scope, ContextType: "ontology", FocusKind: "task", FocusID: "task-31"})
	if err != nil || kept.kept || !strings.Contains(string(answer.Body()), "could not be loaded") {
		t.Errorf("%v, kept %v: %s", err, kept.kept, answer.Body())
	}
	answer, err = l.Ontology(t.Context(), Request{Scope: scope, ContextType: "ontology", FocusKind: "task", FocusID: "task-31", WithoutLinked: true})
	if err != nil || !kept.kept || strings.Contains(string(answer.Body()), "linked_entities") {
		t.Errorf("switched off: %v, %s", err, answer.Body())
	}
}
