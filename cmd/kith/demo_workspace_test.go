package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kith/client"
	"kith/graph"
	"kith/internal/testenv"
)

func demoWorkspaces(t *testing.T, now time.Time) *graph.MemoryWrite {
	t.Helper()
	life, err := readDemo()
	if err != nil {
		t.Fatal(err)
	}
	workspaces, err := life.workspaceWrite(now)
	if err != nil {
		t.Fatal(err)
	}
	return workspaces
}

// demoStates lists the states of a project's nodes by kind. Other kinds have no states.
var demoStates = map[string][]string{
	"project":   {"planning", "active", "completed", "cancelled"},
	"task":      {"todo", "in_progress", "blocked", "done"},
	"plan":      {"draft", "active", "completed"},
	"output":    {"draft", "in_progress", "review", "published"},
	"document":  {"", "draft", "review", "published"},
	"goal":      {"draft", "active", "achieved", "abandoned"},
	"milestone": {"pending", "in_progress", "completed", "missed"},
	"risk":      {"identified", "mitigated", "occurred", "closed"},
	"decision":  {"pending", "made", "deferred", "reversed"},
}

func TestDemoWorkspacesAreRich(t *testing.T) {
	t.Parallel()
	w := demoWorkspaces(t, demoNows()[0])
	inProject, kinds, states := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, n := range w.Nodes {
		kinds[n.Kind]++
		inProject[n.ProjectID.Value]++
		states[n.Kind+" "+n.StateKey.Value] = true
		if known, ok := demoStates[n.Kind]; ok && !slices.Contains(known, n.StateKey.Value) {
			t.Errorf("%s: %s cannot be %q", n.EntityKey, n.Kind, n.StateKey.Value)
		}
	}
	for _, kind := range graph.WorkspaceKinds {
		if kinds[kind] == 0 {
			t.Errorf("there is no %s", kind)
		}
	}
	for _, state := range []string{
		"task blocked", "risk mitigated", "risk occurred", "milestone missed", "goal achieved", "decision reversed", "plan draft",
	} {
		if !states[state] {
			t.Errorf("there is no %s", state)
		}
	}
	entities, small := len(w.Nodes)-kinds["project"], inProject[demoKey("project-zwaluw")]
	if kinds["project"] != 2 || entities < 84 || len(w.Relationships) < 155 || small*2 > entities {
		t.Errorf("%d projects, %d entities, %d of them in the smaller project, %d links", kinds["project"], entities, small, len(w.Relationships))
	}
}

func TestDemoWorkspacesHangTogether(t *testing.T) {
	t.Parallel()
	_, memory, _ := readDemoWrites(t, demoNows()[0])
	w := demoWorkspaces(t, demoNows()[0])
	of, linked, triples := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, n := range slices.Concat(memory.Nodes, w.Nodes) {
		if _, again := of[n.EntityKey]; again {
			t.Errorf("%s is not the only one with this key", n.EntityKey)
		}
		of[n.EntityKey] = ""
		if n.OwnFields != nil {
			of[n.EntityKey] = n.ProjectID.Value
		}
	}
	for _, r := range w.Relationships {
		triple := r.From + " " + r.Type + " " + r.To
		from, known := of[r.From]
		to, alsoKnown := of[r.To]
		if !known || !alsoKnown || r.From == r.To || !slices.Contains(graph.Vocabulary, r.Type) {
			t.Errorf("%s is of an unknown type, or has an unknown end", triple)
		}
		if triples[triple] || from != "" && to != "" && from != to {
			t.Errorf("%s is told twice, or leads from one project to another", triple)
		}
		triples[triple], linked[r.From], linked[r.To] = true, true, true
	}
	alone := slices.DeleteFunc(slices.Clone(w.Nodes), func(n graph.NodeWrite) bool { return linked[n.EntityKey] })
	if len(alone) == 0 || len(alone) > 5 {
		t.Errorf("%d nodes are linked with nothing, as a few are in real life", len(alone))
	}
}

func TestDemoWorkspaceTimes(t *testing.T) {
	t.Parallel()
	for _, now := range demoNows() {
		overdue, soon := 0, 0
		for _, n := range demoWorkspaces(t, now).Nodes {
			created, updated, due := n.CreatedAt.Value, n.UpdatedAt.Value, n.DueAt.Value
			if created.IsZero() || updated.Before(created) || updated.After(now) {
				t.Fatalf("now %v: %s is from %v to %v", now, n.EntityKey, created, updated)
			}
			for _, past := range []graph.Optional[time.Time]{n.CompletedAt, n.MitigatedAt, n.DecisionAt, n.TS} {
				if past.Value.After(updated) {
					t.Fatalf("now %v: %s changed last at %v, before %v", now, n.EntityKey, updated, past.Value)
				}
			}
			isDone := slices.Contains([]string{"done", "completed", "achieved"}, n.StateKey.Value)
			switch {
			case isDone != n.CompletedAt.Given && slices.Contains([]string{"task", "milestone", "goal"}, n.Kind):
				t.Fatalf("%s is %s, completed: %v", n.EntityKey, n.StateKey.Value, n.CompletedAt.Given)
			case n.Kind != "task" || isDone || due.IsZero():
			case due.Before(now):
				overdue++
			case due.Before(now.Add(graph.Week)):
				soon++
			}
		}
		if overdue == 0 || soon == 0 {
			t.Fatalf("now %v: %d tasks are overdue, %d due within a week", now, overdue, soon)
		}
	}
}

// The demo loads through the public API, and its workspaces appear in the ontology.
func TestDemoWorkspaces(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	if _, err := loadDemo(t.Context(), client.New(s.url, c.key, nil), time.Now()); err != nil {
		t.Fatal(err)
	}
	belfry, about := demoKey("project-belfry"), "/v1/ontology?user_id="+demoUser+"&context_type="
	inBelfry := about + "project&project_id=" + belfry
	for _, test := range []struct {
		path string
		want []string
	}{
		{about + "global", []string{"- Total Projects: 2", "- Restore the Sint-Odrada belfry", "- Get the Zwaluw through her survey"}},
		{inBelfry, []string{
			"- Context Doc: Belfry brief", "progress: 40%, tasks: 2/5", "#### Tasks (Upcoming)", "- Another storm before", "— Payload: {",
		}},
		{inBelfry + "&focus_kind=task&focus_id=" + demoKey("task-scaffold"), []string{
			"- State: blocked", "- inverse_blocks → task (" + demoKey("task-permit"), "## Linked Entities", "### Graph Snapshot (Light)",
		}},
		{inBelfry + "&focus_kind=task&focus_id=" + demoKey("task-tell-yusuf"), []string{"- Dependents: " + demoKey("task-wednesdays")}},
		{about + "ontology&focus_kind=risk&focus_id=" + demoKey("risk-rivets"), []string{"- Impact: high", "- Get the Zwaluw through her survey"}},
	} {
		text := c.do(t, http.MethodGet, test.path+"&format=text", "").body
		for _, want := range test.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %q is not in %s", test.path, want, text)
			}
		}
		object := c.do(t, http.MethodGet, test.path, "").body
		if bytes.Contains(slices.Concat(text, object), []byte("doc-scratch")) {
			t.Errorf("%s: the scratch document is told", test.path)
		}
	}
	coverage := at(c.must(t, http.MethodGet, inBelfry, ""), "metadata", "graph_snapshot", "coverage")
	if got, want := at(coverage, "documents"), map[string]any{"total": 9.0, "direct": 4.0, "unlinked": 5.0}; !cmp.Equal(got, want) {
		t.Errorf("coverage of documents: %v, want %v", got, want)
	}
	if r := c.do(t, http.MethodGet, strings.Replace(inBelfry, demoUser, "somebody-else", 1), ""); r.status != http.StatusNotFound {
		t.Errorf("another user sees the project: %d %s", r.status, r.body)
	}
}

// The service stores the demo without warnings, and loading it again changes nothing.
func TestDemoIsStoredOnce(t *testing.T) {
	t.Parallel()
	s := shared(t)
	c := s.as(s.newKey(t, testenv.Team(t), "read", "write"))
	now := time.Now()
	_, memory, _ := readDemoWrites(t, now)
	for _, want := range []string{"created", "unchanged"} {
		for _, write := range []*graph.MemoryWrite{memory, demoWorkspaces(t, now)} {
			body, err := json.Marshal(write)
			if err != nil {
				t.Fatal(err)
			}
			var done graph.MemoryResult
			if err := json.Unmarshal(c.do(t, http.MethodPost, "/v1/memory", string(body)).body, &done); err != nil {
				t.Fatal(err)
			}
			if len(done.Warnings) > 0 || len(done.Nodes) != len(write.Nodes) || len(done.Relationships) != len(write.Relationships) {
				t.Fatalf("%d nodes, %d relationships, warnings: %v", len(done.Nodes), len(done.Relationships), done.Warnings)
			}
			for _, n := range done.Nodes {
				if string(n.Status) != want {
					t.Errorf("%s is %s, want %s", n.EntityKey, n.Status, want)
				}
			}
			for _, r := range done.Relationships {
				if string(r.Status) != want {
					t.Errorf("%s %s %s is %s, want %s", r.From, r.Type, r.To, r.Status, want)
				}
			}
		}
	}
}
